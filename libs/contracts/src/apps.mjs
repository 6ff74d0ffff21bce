// The one table of all apps. Plain JavaScript without packages: scripts read it before anything is installed or compiled.
// What cannot read it (nest-cli.json, Compose, Kubernetes, monitoring) is compared with it by the tests in tools/checks.

/**
 * The services, in the order of their migrations: the later read what the earlier publish.
 *
 * - `schema`: the PostgreSQL schema that a service owns.
 * - `calls`: the services whose request queues it sends to.
 * - `publishesTo`: the services into whose queues a service publishes events.
 */
const services = /** @type {const} */ ({
  accounts: { kind: 'service', schema: 'accounts', calls: [], publishesTo: ['activity', 'catalog', 'social'] },
  catalog: {
    kind: 'service',
    schema: 'catalog',
    calls: ['material-rendering'],
    publishesTo: ['activity', 'material-rendering', 'social'],
  },
  'material-rendering': {
    kind: 'service',
    schema: 'rendering',
    calls: ['catalog'],
    publishesTo: ['activity', 'material-rendering'],
  },
  social: { kind: 'service', schema: 'social', calls: ['catalog'], publishesTo: ['activity'] },
  activity: { kind: 'service', schema: 'activity', calls: [], publishesTo: [] },
});

/** @typedef {keyof typeof services} ServiceName */
/** @typedef {ServiceName | 'gateway'} ServerName the apps that run until they are stopped */

const everyService = /** @type {ServiceName[]} */ (Object.keys(services)).sort();

/**
 * Every folder of `apps`. An app with the field `calls` has a user of the requests Redis.
 *
 * - `kind`: a service answers requests and consumes events, the gateway speaks HTTP; a command does one thing and ends.
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
/** In the order of starting; the gateway is asked first to stop, so that no request is cut off behind it. */
export const serverNames = /** @type {readonly ServerName[]} */ (ofKind('service', 'gateway'));
export const commandNames = ofKind('command');
