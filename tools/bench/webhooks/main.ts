import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Storefront } from '#demo-shop';
import { openQueueClients } from '#request-queue';
import type { BenchStack } from '../bench-stack.js';
import { withBenchShop } from '../calls/shop.js';
import { cpuOf, type Side } from '../calls/sides.js';
import { numberOf } from '../number-of.js';
import { percentile } from '../overload/figures.js';
import { rotated } from '../render/rounds.js';
import { type Receivers, startReceivers } from './receivers.js';

const help = `Usage: npm run bench:webhooks -- [--rounds 6] [--seconds 15] [--rate 10]

Starts a stack with ten users, each with seven healthy webhook endpoints and three dead ones: a closed port, one that never
responds, and one that responds with 500. The users place favorites; each is an event for all endpoints of its user.

Rounds alternate between no enabled endpoint, the healthy ones, these beside endpoints that have been dead for an hour, and
beside endpoints that fail for the first time. Reports the time from the append of an event to its receipt by the healthy
endpoints, without and with the others, the CPU time per favorite, and that per delivery.

--rounds   rounds of each kind
--seconds  duration of a round
--rate     favorites per second of all users`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

const users = 10;
const healthyPerUser = 7;
const products = 1_000;
/** Longer than the interval in which the service notices enabled endpoints. */
const restMs = 2_000;
const settleTimeoutMs = 120_000;

const kinds = ['none', 'healthy', 'dead', 'failing'] as const;
type Kind = (typeof kinds)[number];

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly rate: number;
}

interface Round {
  /** Milliseconds from the append of an event to each receipt of a healthy endpoint. */
  readonly delays: readonly number[];
  readonly favorites: number;
  /** CPU time by component in milliseconds. */
  readonly cpu: ReadonlyMap<string, number>;
}

interface Bench extends Options {
  readonly client: pg.Client;
  readonly side: Side;
  readonly receivers: Receivers;
  readonly shops: readonly Storefront[];
  readonly productIds: readonly number[];
}

/** Creates the users and their endpoints. Returns a client of each user. */
async function createUsers({ requestsUrl, localUrl }: BenchStack, receivers: Receivers): Promise<Storefront[]> {
  const clients = await openQueueClients({
    app: 'operator',
    redisUrl: requestsUrl,
    services: ['accounts', 'webhooks'],
  });
  const urls = [...Array<string>(healthyPerUser).fill(receivers.healthyUrl), ...receivers.deadUrls];
  const shops: Storefront[] = [];
  try {
    while (shops.length < users) {
      const name = `subscriber-${shops.length}`;
      const user = { name, email: `${name}@example.com`, displayName: null, password: 'a long password' };
      const { id, apiKey } = await clients.of('accounts').call('users.create', user);
      const endpoint = { viewerId: id, description: '', types: [], applicationId: null, signature: 'v1' as const };
      for (const url of urls) await clients.of('webhooks').call('webhook-endpoints.create', { ...endpoint, url });
      shops.push(new Storefront(localUrl, apiKey));
    }
  } finally {
    await clients.close();
  }
  return shops;
}

/**
 * Enables the endpoints of a round, without deliveries of the last one. The circuit breaker of an
 * endpoint that has been dead for an hour permits one attempt each ten minutes.
 */
async function enable({ client, receivers: { healthyUrl, deadUrls } }: Bench, kind: Kind): Promise<void> {
  const urls = { none: [], healthy: [healthyUrl], dead: [healthyUrl, ...deadUrls], failing: [healthyUrl, ...deadUrls] };
  await client.query("delete from webhooks.webhook_deliveries where status = 'pending'");
  await client.query(
    `update webhooks.webhook_endpoints set failures = 0, failing_since = null, open_until = null,
       status = case when url = any($1) then 'enabled' else 'paused' end`,
    [urls[kind]],
  );
  if (kind === 'dead')
    await client.query(
      `update webhooks.webhook_endpoints set failures = 12, failing_since = now() - interval '1 hour',
         open_until = now() + random() * interval '10 minutes' where url = any($1)`,
      [deadUrls],
    );
}

async function measure(bench: Bench, kind: Kind): Promise<Round> {
  const { client, side, receivers, shops, productIds, rate, seconds } = bench;
  await enable(bench, kind);
  await sleep(restMs);
  receivers.takeReceipts();
  const { rows: newest } = await client.query<{ position: string }>(
    'select coalesce(max(position), 0) as position from webhooks.events',
  );
  const before = await cpuOf(side);
  const favorites = rate * seconds;
  const sent: Promise<object>[] = [];
  const began = performance.now();
  while (sent.length < favorites) {
    sent.push(shops[sent.length % users]!.addFavorite(productIds[sent.length % productIds.length]!));
    await sleep(began + (sent.length * 1_000) / rate - performance.now());
  }
  await Promise.all(sent);
  await side.waitForEvents!();
  const receipts = kind === 'none' ? 0 : favorites * healthyPerUser;
  const deadline = performance.now() + settleTimeoutMs;
  while (receivers.receiptCount() < receipts && performance.now() < deadline) await sleep(50);
  const after = await cpuOf(side);
  const { rows } = await client.query<{ id: string; at: number }>(
    `select event_id as id, 1000 * extract(epoch from min(logged_at))::float8 as at from webhooks.events
     where position > $1 group by event_id`,
    [newest[0]!.position],
  );
  const appendedAt = new Map(rows.map(({ id, at }) => [id, at]));
  const delays = receivers.takeReceipts().map(({ eventId, at }) => at - appendedAt.get(eventId)!);
  if (delays.length < receipts) throw new Error(`only ${delays.length} of ${receipts} webhooks were delivered`);
  return { delays, favorites, cpu: new Map([...after].map(([part, ms]) => [part, ms - (before.get(part) ?? 0)])) };
}

const median = (values: readonly number[]): number => percentile(values, 0.5);

function report(rounds: Readonly<Record<Kind, readonly Round[]>>): void {
  const ofEach = (kind: Kind, share: number) => rounds[kind].map(({ delays }) => percentile(delays, share));
  for (const kind of ['healthy', 'dead', 'failing'] as const) {
    const figures = [0.5, 0.99].map((share) => {
      const values = ofEach(kind, share);
      const ratio = median(values.map((ms, round) => ms / ofEach('healthy', share)[round]!));
      const all = percentile(
        rounds[kind].flatMap(({ delays }) => delays),
        share,
      );
      return `p${share * 100} ${median(values).toFixed(0)} ms (of all rounds ${all.toFixed(0)}), median ratio ${ratio.toFixed(2)}`;
    });
    print(`${kind.padEnd(7)} ${figures.join('; ')}`);
  }
  const perFavorite = (kind: Kind, part: string): number =>
    median(rounds[kind].map(({ cpu, favorites }) => (cpu.get(part) ?? 0) / favorites));
  const parts = [...rounds.none[0]!.cpu.keys()];
  print('CPU milliseconds per favorite:');
  for (const kind of kinds) {
    const each = parts.map((part) => [part, perFavorite(kind, part)] as const);
    const total = each.reduce((sum, [, ms]) => sum + ms, 0);
    print(
      `  ${kind.padEnd(7)} ${total.toFixed(2)}: ${each.map(([part, ms]) => `${part} ${ms.toFixed(2)}`).join(', ')}`,
    );
  }
  print('CPU milliseconds per delivery:');
  const added = parts.map(
    (part) => [part, (perFavorite('healthy', part) - perFavorite('none', part)) / healthyPerUser] as const,
  );
  const total = added.reduce((sum, [, ms]) => sum + ms, 0);
  print(`  ${total.toFixed(2)}: ${added.map(([part, ms]) => `${part} ${ms.toFixed(2)}`).join(', ')}`);
}

const run = (options: Options): Promise<void> =>
  withBenchShop({ products, environment: { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' } }, async ({ stack, ours, calls }) => {
    const receivers = await startReceivers();
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    try {
      const shops = await createUsers(stack, receivers);
      const favorite = calls.find(({ name }) => name === 'favorite')!;
      const productIds = favorite.requests.map(({ path }) => Number(path.split('/')[2]));
      const bench: Bench = { ...options, client, side: ours, receivers, shops, productIds };
      const rounds: Record<Kind, Round[]> = { none: [], healthy: [], dead: [], failing: [] };
      // The first round warms up
      for (let round = 0; round <= options.rounds; round += 1)
        for (const kind of rotated(kinds, round)) {
          const result = await measure(bench, kind);
          if (round > 0) rounds[kind].push(result);
          print(
            `round ${round}, ${kind}: p50 ${percentile(result.delays, 0.5).toFixed(0)} ms, p99 ${percentile(result.delays, 0.99).toFixed(0)} ms, load ${loadavg()[0]!.toFixed(1)}`,
          );
        }
      report(rounds);
    } finally {
      await client.end();
      receivers.close();
    }
  });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '15' },
      rate: { type: 'string', default: '10' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void print(help);
  const { rounds, seconds, rate } = values;
  await run({
    rounds: numberOf('rounds', rounds),
    seconds: numberOf('seconds', seconds),
    rate: numberOf('rate', rate),
  });
}

await main();
