import { randomUUID } from 'node:crypto';
import { appendFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import { openBlobStore } from '#storage';
import { apps, type EventName, eventsFor, type ServiceName, serviceNames, subscriptions } from '#contracts';
import { QueuedEvents } from '#events';
import { backupIsRunning, schemaOf } from '#persistence';
import { eventually, testRedisUrl } from '#testing';
import {
  EventPipeline,
  drained,
  emptyDatabase,
  serviceDatabase,
  type SmallShop,
  smallShop,
} from '../testing/small-shop.js';
import { EventQueries } from '../../../webhooks/src/event-log/event.queries.js';
import { eventQueues } from '../../../../libs/events/src/event-queue.js';
import { failJob } from '../verify/testing/failed-job.js';
import { verify, wrongIn } from '../verify/verify.js';
import { checkBackup } from './check.js';
import { createBackup } from './create.js';
import { takeSnapshot } from './snapshot.js';
import type { Manifest } from './manifest.js';
import { restoreBackup } from './restore.js';

let shop: SmallShop;
let pipeline: EventPipeline;
/** Favorites that were acknowledged before the backup started. */
let before: ReadonlyMap<string, number>;
let manifest: Manifest;
const backupFolder = () => join(shop.folder, 'backup');
const silent = () => undefined;
const drops: (() => Promise<void>)[] = [];

async function database(): Promise<string> {
  const { url, drop } = await emptyDatabase();
  drops.push(drop);
  return url;
}

const isDrained = async (owner: pg.Client): Promise<boolean> => {
  const { rows } = await owner.query<{ favorites: number; notified: number; rendered: number }>(
    `select (select count(distinct (user_id, product_id)) from social.favorites) as favorites,
       (select count(distinct (actor_id, data ->> 'productId')) from activity.activities where kind = 'favorite') as notified,
       (select count(*) from activity.activities where kind = 'material') as rendered`,
  );
  return rows[0]!.notified >= rows[0]!.favorites && rows[0]!.rendered === 3;
};

beforeAll(async () => {
  shop = await smallShop();
  pipeline = await EventPipeline.start(shop.stores);
  let isOpen = true;
  let placed = 0;
  const users = await shop.owner.query<{ id: number }>(
    `insert into accounts.users (name, email) select 'fan-' || n, 'fan-' || n || '@example.com' from generate_series(1, 60) n
     returning id`,
  );
  const placeFavorites = async (): Promise<void> => {
    while (isOpen) {
      placed += 1;
      await shop.placeFavorite(users.rows[placed % 60]!.id, placed % 7);
    }
  };
  const writers = Promise.all([placeFavorites(), placeFavorites(), placeFavorites()]);
  while (shop.counts.size < 30) await new Promise((resolve) => setImmediate(resolve));
  before = new Map(shop.counts);
  manifest = await createBackup(shop.stores, backupFolder(), silent);
  isOpen = false;
  await writers;
});
afterAll(async () => {
  await pipeline.close();
  for (const drop of drops) await drop();
  await shop.close();
});

describe('a backup taken during writes of favorites', () => {
  let url: string;
  let owner: pg.Client;

  beforeAll(async () => {
    url = await database();
    await restoreBackup(backupFolder(), { databaseUrl: url, blobStoreUrl: blobsOfRestored() }, silent);
    owner = new pg.Client(url);
    await owner.connect();
  });
  afterAll(() => owner.end());
  const blobsOfRestored = () => pathToFileURL(join(shop.folder, 'restored')).href;

  it('contains all writes acknowledged before its start, with consistent counts', async () => {
    const { rows } = await owner.query<{ key: string; count: number }>(
      `select user_id || '/' || product_id as key, count from social.favorites`,
    );
    const restored = new Map(rows.map(({ key, count }) => [key, count]));
    const late = [...before].filter(([key, count]) => (restored.get(key) ?? 0) < count);
    expect(late).toEqual([]);
    const never = [...restored].filter(([key, count]) => count > (shop.counts.get(key) ?? 0));
    expect(never).toEqual([]);
  });

  it('contains a blob for every texture', async () => {
    const store = openBlobStore(blobsOfRestored());
    for (const hash of shop.textures) expect(await store.get(`textures/${hash}`)).not.toBeNull();
  });

  it('passes verify after its events are consumed, with at most one activity per favorite', async () => {
    const stores = { databaseUrl: url, jobsUrl: testRedisUrl(), blobStoreUrl: blobsOfRestored() };
    const restoredPipeline = await EventPipeline.start(stores);
    try {
      await drained(owner, () => isDrained(owner));
      const lines = await verify(stores, { hash: true, pauseMs: 200 });
      expect(lines.filter(({ wrong, isNote }) => wrong > 0 && !isNote)).toEqual([]);
      const { rows } = await owner.query(
        `select actor_id, data ->> 'productId' from activity.activities where kind = 'favorite' group by 1, 2 having count(*) > 1`,
      );
      expect(rows).toEqual([]);
    } finally {
      await restoredPipeline.close();
    }
  });

  it('gives a new user an id above the restored ids', async () => {
    const { rows } = await owner.query<{ id: number }>(
      `insert into accounts.users (name, email) values ('newcomer', 'newcomer@example.com') returning id`,
    );
    const [last] = (await shop.owner.query<{ id: number }>('select max(id) as id from accounts.users')).rows;
    expect(rows[0]!.id).toBeGreaterThan(last!.id);
  });

  it('is rejected by a database with rows', async () => {
    const again = restoreBackup(backupFolder(), { databaseUrl: url, blobStoreUrl: blobsOfRestored() }, silent);
    await expect(again).rejects.toThrow(/^The database is not empty: .*accounts\.users \(6\d rows\)/);
  });
});

it('restores events into the outbox of a service whose Redis user may publish them', async () => {
  const jobsUrl = testRedisUrl();
  const redis = new Redis(jobsUrl, { maxRetriesPerRequest: null });
  const queues = eventQueues(redis);
  const queued = serviceNames.flatMap((service) =>
    eventsFor(service).map((name) => ({ service, name, id: randomUUID() })),
  );
  for (const { service, name, id } of queued) {
    const event = { id, name, version: 1, occurredAt: new Date().toISOString(), payload: {}, metadata: {} };
    await queues.get(service)!.add(name, event, { jobId: id });
  }
  redis.disconnect();
  const target = join(shop.folder, 'queues');
  await createBackup({ ...shop.stores, jobsUrl }, target, silent);
  const url = await database();
  await restoreBackup(target, { databaseUrl: url, blobStoreUrl: shop.stores.blobStoreUrl }, silent);
  const owner = new pg.Client(url);
  await owner.connect();
  const found = await Promise.all(
    serviceNames.map(async (service) => {
      const { rows } = await owner.query<{ id: string; name: EventName }>(
        `select id, name from "${schemaOf(service)}".outbox where id = any($1)`,
        [queued.map(({ id }) => id)],
      );
      return rows.map((row) => ({ service, ...row }));
    }),
  ).finally(() => owner.end());
  const restored = found.flat();
  expect(restored.map(({ id }) => id).sort()).toEqual(queued.map(({ id }) => id).sort());
  const isAllowed = ({ service, name }: { service: ServiceName; name: EventName }): boolean => {
    const queues: readonly string[] = apps[service].publishesTo;
    return subscriptions[name].every((subscriber) => queues.includes(subscriber));
  };
  expect(restored.filter((event) => !isAllowed(event)).map(({ service, name }) => `${name} in ${service}`)).toEqual([]);
});

describe('the event log of a restored shop', () => {
  /** Database of the newest shop: each test restores the shop of the test before. */
  let databaseUrl: string;
  beforeAll(() => {
    databaseUrl = shop.stores.databaseUrl;
  });
  /** Cursors of all shops. */
  const issued = ['0'];

  /** Event log of a database, for the user 1. */
  async function openLog(databaseUrl: string) {
    const owner = new pg.Client(databaseUrl);
    await owner.connect();
    const database = await serviceDatabase(databaseUrl, 'webhooks');
    const queries = new EventQueries(database);
    const options = { types: undefined, limit: 2 };
    return {
      owner,
      append: (count: number) =>
        owner.query(
          `insert into webhooks.events (event_id, user_id, type, sequence, data, metadata, occurred_at)
           select gen_random_uuid(), 1, 'sale.recorded', 1, '{}', '{}', now() from generate_series(1, $1)`,
          [count],
        ),
      /** Reads the log by pages. Returns the ids of its events, and all cursors. */
      readAll: async () => {
        const [ids, cursors]: [string[], string[]] = [[], [(await queries.list(1, 'latest', options)).meta.cursor]];
        for (let after: string | undefined, hasNext = true; hasNext;) {
          const { events, meta } = await queries.list(1, after, options);
          ids.push(...events.map(({ id }) => id));
          ({ hasNext, cursor: after } = meta);
          cursors.push(after);
        }
        return { ids, cursors };
      },
      statusOf: (cursor: string) =>
        queries.follow(1, cursor, options).then(
          () => 200,
          (error: unknown) => (error as { status: number }).status,
        ),
      close: async () => {
        await database.source.destroy();
        await owner.end();
      },
    };
  }

  /** Reverts the migration `StoreLogEnd`. */
  const downgrade = ({ owner }: Awaited<ReturnType<typeof openLog>>) =>
    owner.query(`alter table webhooks.deleted_events drop column last_position, drop column cursor_offset;
      delete from webhooks.migrations where name like 'StoreLogEnd%'`);

  it.each(['this version', 'a restored shop', 'the version before'])(
    'rejects the cursors from before the restore, also after further events: backup of %s',
    async (source) => {
      const log = await openLog(databaseUrl);
      await log.append(3);
      const { ids, cursors } = await log.readAll();
      const folder = join(shop.folder, `log of ${source}`);
      if (source === 'the version before') await downgrade(log);
      await createBackup({ ...shop.stores, databaseUrl }, folder, silent);
      issued.push(...cursors);
      if (source !== 'the version before') {
        await log.append(4);
        issued.push(...(await log.readAll()).cursors);
      }
      await log.close();

      databaseUrl = await database();
      await restoreBackup(folder, { databaseUrl, blobStoreUrl: shop.stores.blobStoreUrl }, silent);
      const restored = await openLog(databaseUrl);
      const { ids: restoredIds } = await restored.readAll();
      await restored.append(5);
      const now = await restored.readAll();
      const statusesOf = async (of: readonly string[]) =>
        new Set(await Promise.all(of.map((cursor) => restored.statusOf(cursor))));
      const [statusesBefore, statusesNow] = [await statusesOf(issued), await statusesOf(now.cursors)];
      await restored.close();
      expect(restoredIds).toEqual(ids);
      expect([now.ids.slice(0, ids.length), now.ids.length]).toEqual([ids, ids.length + 5]);
      expect(statusesBefore).toEqual(new Set([410]));
      expect(statusesNow).toEqual(new Set([200]));
    },
  );
});

it('a snapshot reports a running backup, which blocks the sweep of textures, until it is closed', async () => {
  const queued = new QueuedEvents(shop.stores.jobsUrl);
  const isRunning = () => backupIsRunning(shop.stack.database);
  expect(await isRunning()).toBe(false);
  const snapshot = await takeSnapshot(shop.stores.databaseUrl, queued);
  expect(await isRunning()).toBe(true);
  await snapshot.release();
  expect(await isRunning()).toBe(true);
  await snapshot.close();
  queued.close();
  await eventually('the lock is released', async () => !(await isRunning()));
});

describe('the folder of a backup', () => {
  it('is readable by its owner only and has its final name', async () => {
    expect((await stat(backupFolder())).mode & 0o777).toBe(0o700);
    const names = await readdir(backupFolder(), { recursive: true });
    expect(names.filter((name) => name.startsWith('blobs/textures/'))).not.toEqual([]);
    expect(names).toContain('blobs/icons/own.svg');
    for (const name of names) {
      const found = await stat(join(backupFolder(), name));
      expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600]);
    }
    expect((await readdir(shop.folder)).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('is not overwritten', async () => {
    await expect(createBackup(shop.stores, backupFolder(), silent)).rejects.toThrow(/already exists/);
  });

  it('is removed when the backup fails', async () => {
    const target = join(shop.folder, 'unmade');
    const unreachable = { ...shop.stores, databaseUrl: shop.stores.databaseUrl.replace(/\/[^/]*$/, '/nowhere') };
    await expect(createBackup(unreachable, target, silent)).rejects.toThrow();
    expect(await readdir(shop.folder)).not.toContain('unmade');
    expect(await readdir(shop.folder)).not.toContain('unmade.partial');
  });
});

describe('a damaged backup', () => {
  /** Damages a file, returns the error of a restore, and repairs the file. */
  const errorOf = async (name: string, damage: (file: string) => Promise<void>): Promise<string> => {
    const file = join(backupFolder(), name);
    const original = await readFile(file);
    await damage(file);
    const url = await database();
    const restore = restoreBackup(backupFolder(), { databaseUrl: url, blobStoreUrl: shop.stores.blobStoreUrl }, silent);
    const message = await restore.then(
      () => 'restored',
      (error: unknown) => (error as Error).message,
    );
    await writeFile(file, original);
    return message;
  };
  const users = 'accounts.users.copy.gz';

  it.each<[string, string, (file: string) => Promise<void>, RegExp]>([
    ['a truncated table', users, (file) => truncate(file, 20), /accounts\.users\.copy\.gz has 20 bytes instead of/],
    [
      'a table with additional bytes',
      users,
      (file) => appendFile(file, 'x'),
      /accounts\.users\.copy\.gz has \d+ bytes instead/,
    ],
    ['a missing table', users, (file) => rm(file), /accounts\.users\.copy\.gz is missing/],
    [
      'a table with a changed byte',
      users,
      async (file) => {
        const bytes = await readFile(file);
        bytes[30]! ^= 1;
        await writeFile(file, bytes);
      },
      /accounts\.users\.copy\.gz has other bytes/,
    ],
    ['a truncated manifest', 'manifest.json', (file) => truncate(file, 200), /manifest\.json is truncated or damaged/],
    ['a missing manifest', 'manifest.json', (file) => rm(file), /is not a backup: it has no manifest/],
    [
      'a manifest with another count',
      'manifest.json',
      async (file) => writeFile(file, (await readFile(file, 'utf8')).replace(/"lines": (\d+)/, '"lines": 1$1')),
      /has \d+ lines instead of/,
    ],
    [
      'another format',
      'manifest.json',
      async (file) => writeFile(file, (await readFile(file, 'utf8')).replace('"format": 1', '"format": 2')),
      /reads backups of format 1, not 2/,
    ],
    [
      'an unknown migration',
      'manifest.json',
      async (file) => writeFile(file, (await readFile(file, 'utf8')).replace(/"CreateSocial\d+"/, '"FoldSocial1"')),
      /of a newer version: this one has no migration FoldSocial1/,
    ],
  ])('is rejected: %s', async (_, name, damage, reason) => {
    expect(await errorOf(name, damage)).toMatch(reason);
  });

  it('is rejected for a blob with a changed byte', async () => {
    const message = await errorOf(`blobs/textures/${shop.textures[0]}`, (file) => writeFile(file, 'rat'));
    expect(message).toMatch(/textures\/\w+ has other bytes/);
  });

  it('is accepted again after its repair', async () => {
    expect((await checkBackup(backupFolder())).takenAt).toBe(manifest.takenAt);
  });
});

describe('verify', () => {
  it('reports no findings for a running stack', async () => {
    await drained(shop.owner, () => isDrained(shop.owner));
    expect(wrongIn(await verify(shop.stores, { pauseMs: 200 }))).toBe(0);
  });

  it('reports an inconsistency for each check except three notes', async () => {
    await pipeline.close();
    const [texture, other] = shop.textures;
    await shop.owner.query('alter table social.favorites drop constraint favorites_product_fk');
    for (const wrong of [
      `update social.product_favorites set total_count = total_count + 1`,
      `insert into social.favorites (product_id, user_id, count, anonymous, x, y, rotation) values (999, 998, 1, false, 0, 0, 0)`,
      `insert into social.product_favorites values (997, 0)`,
      `insert into social.choices (user_id, title, secret) values (996, 'x', false)`,
      `insert into social.product_favorites values (995, 0, true)`,
      `insert into social.choice_products select max(id), 995, 1, 1 from social.choices`,
      `delete from activity.activities where kind = 'material'`,
      `delete from activity.activities where actor_id = (select min(user_id) from social.favorites where user_id < 990)`,
      `insert into activity.activities (event_id, receiver_id, sender_id, actor_id, kind, data, created_at)
       select gen_random_uuid(), receiver_id, sender_id, actor_id, kind, data, created_at from activity.activities limit 1`,
      `insert into activity.activities (event_id, receiver_id, sender_id, actor_id, kind, data, created_at)
       values (gen_random_uuid(), 994, 0, 993, 'sale', '{"productId": 1, "productTitle": "x"}', now())`,
      `insert into catalog.materials (user_id, title, price, published, published_at, texture_hash, texture_format,
         original_width, original_height) values (992, 'x', 0, true, now(), repeat('0', 64), 'png', 1, 1)`,
      `update catalog.products set search_text = 'x' where id = (select min(id) from catalog.products)`,
      `insert into catalog.sales (name, user_id, percent, starts_at) values ('x', 991, 1, now())`,
      `insert into catalog.purchases (product_id, variant_id, quantity, buyer_id) values (1, 1, 1, 989)`,
      `insert into social.deleted_users select min(id) from accounts.users where id > 0`,
      `insert into social.outbox (id, name, version, payload, occurred_at)
       values (gen_random_uuid(), 'favorite.withdrawn', 1, '{}', now() - interval '2 minutes')`,
      `alter table social.favorites add constraint favorites_product_fk check (product_id > 0) not valid`,
      `alter table catalog.sales alter column id restart`,
      `delete from accounts.users where id = 0`,
    ])
      await shop.owner.query(wrong);
    await shop.blobs.delete(`textures/${texture}`);
    await shop.blobs.delete('icons/own.svg');
    await shop.blobs.put(`textures/${other}`, Buffer.from('rat'));
    await shop.blobs.put('images/1/drawn-from-00000000-0000-4000-8000-000000000000', Buffer.from('{}'));
    await shop.blobs.put('images/990/left.webp', Buffer.from(''));
    await shop.blobs.put('drawn/990/left.webp', Buffer.from(''));
    const failedEvent = { id: randomUUID(), name: 'material.rendered', payload: {} };
    await failJob(shop.stores.jobsUrl, 'activity', failedEvent, 'out of paper');
    const lines = await verify(shop.stores, { hash: true, pauseMs: 1 });
    const clean = lines.filter(({ wrong }) => wrong === 0).map(({ check }) => check);
    expect(clean).toEqual([
      'Each texture is used by a material',
      'Each stored texture has a row',
      'No upload is older than two hours',
    ]);
    const examplesOf = (name: string) => lines.find(({ check }) => check === name)?.examples;
    expect(examplesOf('The product and the user of each favorite exist')).toEqual([
      expect.stringMatching(/^favorite \d+: user 998, product 999$/),
    ]);
    expect(examplesOf('Each texture is stored with its size, and with --hash its hash')).toHaveLength(2);
    expect(examplesOf('The layers and icons of imported items are stored')).toEqual([
      'icons/own.svg: missing; import the bundle again',
    ]);
    expect(examplesOf('No event job has failed')).toEqual([
      `activity: material.rendered ${failedEvent.id}: out of paper`,
    ]);
  });
});
