// Table of all apps. Plain JavaScript without packages: scripts read it before packages are
// installed or sources compiled. Files that cannot import it (nest-cli.json, Compose, Kubernetes,
// monitoring) are compared with it by the tests in tools/checks.

/**
 * The services, in the order of their migrations: a service may read tables that an earlier service
 * publishes.
 *
 * - `schema`: the PostgreSQL schema that the service owns.
 * - `calls`: the services to whose request queues it sends requests.
 * - `publishesTo`: the services to whose queues it publishes events.
 */
const services = /** @type {const} */ ({
  accounts: {
    kind: 'service',
    schema: 'accounts',
    calls: [],
    publishesTo: ['accounts', 'activity', 'catalog', 'social', 'webhooks'],
  },
  catalog: {
    kind: 'service',
    schema: 'catalog',
    calls: ['material-rendering'],
    publishesTo: ['activity', 'catalog', 'material-rendering', 'social', 'webhooks'],
  },
  'material-rendering': {
    kind: 'service',
    schema: 'rendering',
    calls: ['catalog'],
    publishesTo: ['activity', 'material-rendering', 'webhooks'],
  },
  social: { kind: 'service', schema: 'social', calls: ['catalog'], publishesTo: ['activity', 'webhooks'] },
  activity: { kind: 'service', schema: 'activity', calls: [], publishesTo: ['webhooks'] },
  webhooks: { kind: 'service', schema: 'webhooks', calls: [], publishesTo: ['activity'] },
});

/** @typedef {keyof typeof services} ServiceName */
/** @typedef {ServiceName | 'gateway'} ServerName the apps that run until they are shut down */

const everyService = /** @type {ServiceName[]} */ (Object.keys(services)).sort();

/**
 * Every folder of `apps`. An app with the field `calls` has its own user of the requests Redis.
 *
 * - `kind`: a `service` handles requests and consumes events, the `gateway` serves HTTP, a
 *   `command` runs once and exits.
 */
export const apps = /** @type {const} */ ({
  ...services,
  gateway: { kind: 'gateway', calls: everyService },
  operator: { kind: 'command', calls: everyService },
  migrate: { kind: 'command' },
  seed: { kind: 'command' },
  demo: { kind: 'command' },
});

const ofKind = (/** @type {string[]} */ ...kinds) =>
  Object.entries(apps).flatMap(([name, { kind }]) => (kinds.includes(kind) ? [name] : []));

export const serviceNames = /** @type {readonly ServiceName[]} */ (ofKind('service'));
/**
 * Servers in the order of startup. The gateway shuts down first, so that the services can still
 * reply to its open requests.
 */
export const serverNames = /** @type {readonly ServerName[]} */ (ofKind('service', 'gateway'));
export const commandNames = ofKind('command');
