// The users of both Redis servers: one for each app, each with the least that it needs (ADR 21). What else knows of them is
// made of this table, or compared with it by a test. Plain JavaScript without packages, as secrets.mjs is.
import { createHash, createHmac } from 'node:crypto';
import { apps, serviceNames } from '../../../libs/contracts/src/apps.mjs';

// In the order of the alphabet: another order of the same grants would restart Redis
const services = [...serviceNames].sort();

/** The users of a server whose passwords apps and commands are given. */
export const redisUsers = {
  requests: ['gateway', ...services, 'operator'],
  jobs: [...services, 'operator'],
};

/** Those who publish notices to all processes, and those who listen. */
export const notices = { publish: ['accounts', 'catalog'], subscribe: ['catalog', 'gateway'] };

const callersOf = (service) => redisUsers.requests.filter((app) => apps[app].calls.includes(service));

/** A selector: commands, and the keys and channels that they may be used with. */
const may = (commands, ...patterns) =>
  `(${[...commands.split(' ').map((it) => `+${it}`), ...patterns.flat()].join(' ')})`;

// A script needs its keys for reading and writing, whatever it does with them: its commands are checked one by one
const scripts = 'eval evalsha';
const connection = '+ping +info +client|id +client|setname';
const counting = `${scripts} set incrby pttl expire`;

/** Pushes requests to services, and reads replies. */
function callsOf(app) {
  if (apps[app].calls.length === 0) return [];
  const lanes = app === 'operator' ? ['', 'slow:', 'operator:'] : ['', 'slow:'];
  const lists = apps[app].calls.flatMap((service) => lanes.map((lane) => `rq:{${service}}:${lane}q`));
  const markers = apps[app].calls.map((service) => `rq:{${service}}:*live`);
  const each = (rights, keys) => keys.map((key) => `${rights}~${key}`);
  return [
    may(scripts, each('', lists), each('', markers)),
    may('get', each('%R', markers)),
    // Without a command that reads: the requests of others stay unseen
    may('rpush llen lrem', each('%W', lists)),
    may('blmpop', `~rq:{${app}-*}:r`),
  ];
}

const servesOf = (service) => [
  may('blmpop llen', `~rq:{${service}}:q`, `~rq:{${service}}:slow:q`, `~rq:{${service}}:operator:q`),
  may('set', `%W~rq:{${service}}:*live`),
  may(
    'rpush pexpire',
    callersOf(service).map((app) => `%W~rq:{${app}-*}:r`),
  ),
];

const more = {
  accounts: [may(counting, '~attempts:*')],
  gateway: ['+multi +exec', may(`${counting} get`, '~rate-limit:*')],
  'material-rendering': [may('eval set get del pexpire exists', '~drawing:*')],
};

const requestGrants = (app) => [
  `${connection} +time +client|unblock`,
  ...callsOf(app),
  ...(services.includes(app) ? servesOf(app) : []),
  ...(notices.publish.includes(app) ? [may('publish', '&rq:notices:*')] : []),
  ...(notices.subscribe.includes(app) ? [may('subscribe unsubscribe', '&rq:notices:*')] : []),
  ...(more[app] ?? []),
];

const queueOf = (service) => [`~storefront:events-${service}`, `~storefront:events-${service}:*`];
const everyQueue = ['~storefront:events-*'];

/** What BullMQ's scripts need to add jobs, without delays and parents, and the script of fair priorities. */
function publishesTo(service) {
  const at = (commands, ...names) => may(commands, ...names.map((name) => `~storefront:events-${service}:${name}`));
  return [
    may(scripts, queueOf(service)),
    // A job that is there already is left as it is
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
/** All that can be done with keys, but for what is meant for administrators and what looks at all keys of the server. */
const working = `(+@keyspace +@string +@hash +@list +@set +@sortedset +@stream -@dangerous -scan -randomkey -dbsize +eval +evalsha`;

const jobGrants = (app) => [
  // A backup is restored beside empty queues
  `${connection} +multi +exec${app === 'operator' ? ' +flushall' : ''}`,
  // Activity shows the board of all queues
  `${working} ${(app === 'operator' || app === 'activity' ? everyQueue : queueOf(app)).join(' ')})`,
  ...(app === 'operator' || app === 'activity' ? [] : apps[app].publishesTo.flatMap(publishesTo)),
];

/** It counts what waits, and reads nothing of it. */
const autoscalerGrants = {
  requests: [connection, may(`${scripts} type llen`, '~rq:{*}:q', '~rq:{*}:slow:q')],
  jobs: [connection, may(`${scripts} type llen zcard`, everyQueue)],
};

const grantsOf = (server, user) => {
  if (user === 'autoscaler') return autoscalerGrants[server];
  return server === 'requests' ? requestGrants(user) : jobGrants(user);
};

/** No service is given the secret: it could make the others' passwords of it. */
export const redisPassword = (secret, user) => createHmac('sha256', secret).update(user).digest('hex');

/** The lines that define the users of a server, for its configuration file. `hashes`: SHA-256 of the passwords, by user. */
export const usersFile = (server, hashes) =>
  [
    'user default reset',
    // Probes have no password
    'user health on nopass +ping',
    ...Object.entries(hashes).map(([user, hash]) => `user ${user} on #${hash} ${grantsOf(server, user).join(' ')}`),
  ].join('\n');

/** The same with passwords made of a secret, of which Redis gets the hashes only. */
export const usersOf = (server, secret) =>
  usersFile(
    server,
    Object.fromEntries(
      redisUsers[server].map((user) => [user, createHash('sha256').update(redisPassword(secret, user)).digest('hex')]),
    ),
  );
