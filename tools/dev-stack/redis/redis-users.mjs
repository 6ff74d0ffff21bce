// Users of both Redis servers: one per app, with the least privileges (ADR 21). All other
// definitions of these users are derived from this table or compared with it by a test. Plain
// JavaScript without packages, because secrets.mjs imports it.
import { createHash, createHmac } from 'node:crypto';
import { apps, serviceNames } from '../../../libs/contracts/src/apps.mjs';

// Sorted, because another order of the same grants would restart Redis
const services = [...serviceNames].sort();

/** Users of each server whose passwords apps and commands have. */
export const redisUsers = {
  requests: ['gateway', ...services, 'operator'],
  jobs: [...services, 'operator'],
};

/** Apps that publish broadcasts, and apps that subscribe to them. */
export const broadcastUsers = { publish: ['accounts', 'catalog'], subscribe: ['catalog', 'gateway'] };

const callersOf = (service) => redisUsers.requests.filter((app) => apps[app].calls.includes(service));

/** Returns an ACL selector: commands, and the keys and channels they may use. */
const allow = (commands, ...patterns) =>
  `(${[...commands.split(' ').map((it) => `+${it}`), ...patterns.flat()].join(' ')})`;

// A script needs read and write access to its keys in any case; each of its commands is checked
// separately
const scriptCommands = 'eval evalsha';
const connectionGrants = '+ping +info +client|id +client|setname';
const counterCommands = `${scriptCommands} set incrby pttl expire`;

/** Grants of a caller: pushes requests to services, and reads replies. */
function callsOf(app) {
  if (apps[app].calls.length === 0) return [];
  const lanes = app === 'operator' ? ['', 'slow:', 'operator:'] : ['', 'slow:'];
  const lists = apps[app].calls.flatMap((service) => lanes.map((lane) => `rq:{${service}}:${lane}q`));
  const markers = apps[app].calls.map((service) => `rq:{${service}}:*live`);
  const each = (rights, keys) => keys.map((key) => `${rights}~${key}`);
  return [
    allow(scriptCommands, each('', lists), each('', markers)),
    allow('get', each('%R', markers)),
    // No read command: requests of other apps are not readable
    allow('rpush llen lrem', each('%W', lists)),
    allow('blmpop', `~rq:{${app}-*}:r`),
  ];
}

const servesOf = (service) => [
  allow('blmpop llen', `~rq:{${service}}:q`, `~rq:{${service}}:slow:q`, `~rq:{${service}}:operator:q`),
  allow('set', `%W~rq:{${service}}:*live`),
  allow(
    'rpush pexpire',
    callersOf(service).map((app) => `%W~rq:{${app}-*}:r`),
  ),
];

const extraGrants = {
  accounts: [allow(counterCommands, '~attempts:*')],
  gateway: [
    '+multi +exec',
    allow(`${counterCommands} get`, '~rate-limit:*'),
    allow('incr get set del', '~form-draft:*'),
  ],
  'material-rendering': [allow('eval set get del pexpire exists', '~render-lock:*')],
};

const requestGrants = (app) => [
  `${connectionGrants} +time +client|unblock`,
  ...callsOf(app),
  ...(services.includes(app) ? servesOf(app) : []),
  ...(broadcastUsers.publish.includes(app) ? [allow('publish', '&rq:broadcasts:*')] : []),
  ...(broadcastUsers.subscribe.includes(app) ? [allow('subscribe unsubscribe', '&rq:broadcasts:*')] : []),
  ...(extraGrants[app] ?? []),
];

const queueOf = (service) => [`~storefront:events-${service}`, `~storefront:events-${service}:*`];
/** Queue of webhooks: its processes add its jobs and work on them. */
const deliveryQueue = ['~storefront:webhook-deliveries', '~storefront:webhook-deliveries:*'];
const everyQueue = ['~storefront:events-*', '~storefront:webhook-deliveries*'];

/**
 * Grants for BullMQ's scripts that add jobs without delays and parents, and for the script of fair
 * priorities.
 */
function publishesTo(service) {
  const at = (commands, ...names) => allow(commands, ...names.map((name) => `~storefront:events-${service}:${name}`));
  return [
    allow(scriptCommands, queueOf(service)),
    // The script checks whether the job exists, and leaves an existing job unchanged
    at('exists hget hmset', '*'),
    at('hmget hset', 'meta'),
    at('incr', 'id', 'pc'),
    at('lpush', 'wait'),
    at('llen', 'active'),
    at('xadd', 'events'),
    at('zadd', 'marker', 'prioritized', 'start-tags'),
    at('zcard', 'delayed'),
    at('zrange', 'prioritized', 'start-tags'),
    at('del zremrangebyscore zscore', 'start-tags'),
    at('get set', 'virtual-time'),
  ];
}
/** All key commands except administrative ones and those that list all keys of the server. */
const keyCommands = `(+@keyspace +@string +@hash +@list +@set +@sortedset +@stream -@dangerous -scan -randomkey -dbsize +eval +evalsha`;

const queuesOf = (app) => {
  // Activity serves the queue board, which shows all queues
  if (app === 'operator' || app === 'activity') return everyQueue;
  return app === 'webhooks' ? [...queueOf(app), ...deliveryQueue] : queueOf(app);
};

const jobGrants = (app) => [
  // FLUSHALL: an administrator empties the queues as this user before a restore
  `${connectionGrants} +multi +exec${app === 'operator' ? ' +flushall' : ''}`,
  `${keyCommands} ${queuesOf(app).join(' ')})`,
  ...(app === 'operator' || app === 'activity' ? [] : apps[app].publishesTo.flatMap(publishesTo)),
];

/** Grants of the autoscaler: reads lengths, and no content. */
const autoscalerGrants = {
  requests: [connectionGrants, allow(`${scriptCommands} type llen`, '~rq:{*}:q', '~rq:{*}:slow:q')],
  jobs: [connectionGrants, allow(`${scriptCommands} type llen zcard`, everyQueue)],
};

const grantsOf = (server, user) => {
  if (user === 'autoscaler') return autoscalerGrants[server];
  return server === 'requests' ? requestGrants(user) : jobGrants(user);
};

/**
 * Derives the password of a user. Services do not have the secret, which would give them all
 * passwords.
 */
export const redisPassword = (secret, user) => createHmac('sha256', secret).update(user).digest('hex');

/**
 * Returns the ACL lines of a server's configuration file. `hashes`: SHA-256 of the passwords, by
 * user.
 */
export const usersFile = (server, hashes) =>
  [
    'user default reset',
    // Probes have no password
    'user health on nopass +ping',
    ...Object.entries(hashes).map(([user, hash]) => `user ${user} on #${hash} ${grantsOf(server, user).join(' ')}`),
  ].join('\n');

/** Returns `usersFile` with the hashes of the passwords that are derived from a secret. */
export const usersOf = (server, secret) =>
  usersFile(
    server,
    Object.fromEntries(
      redisUsers[server].map((user) => [user, createHash('sha256').update(redisPassword(secret, user)).digest('hex')]),
    ),
  );
