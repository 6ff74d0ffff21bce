import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { z } from 'zod';
import type { EventName, FavoriteCreateResponse, ServiceName } from '#contracts';
import { appendEvent, type Delivery, OutboxSignal } from '#events';
import { Database, serviceDataSource } from '#persistence';
import { openBlobStore } from '#storage';
import { eventually, testRedisUrl } from '#testing';
import { EventWorker } from '../../../../libs/events/src/event-worker.js';
import { Relay } from '../../../../libs/events/src/relay/relay.js';
import { readTestEnvironment } from '../../../../libs/testing/src/env.js';
import { ActivityConsumer } from '../../../activity/src/activities/activity.consumer.js';
import { ActivityEntity } from '../../../activity/src/activities/activity.entity.js';
import { ActivityRepository } from '../../../activity/src/activities/activity.repository.js';
import { catalogStack, createMaterial, shirt, wantedProduct } from '../../../catalog/src/testing/catalog-stack.js';
import { FavoriteRepository } from '../../../social/src/favorites/favorite.repository.js';
import { ProductFavoritesEntity } from '../../../social/src/favorites/product-favorites.entity.js';
import type { Stores } from '../connections/stores.js';

const inDatabase = (url: string, name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
const nameIn = (url: string): string => new URL(url).pathname.slice(1);

/**
 * Creates a database without tables. Returns its URL for the owner, and a function that drops it.
 */
export async function emptyDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { owner } = readTestEnvironment().STOREFRONT_TEST_DATABASES;
  const name = `test_empty_${randomBytes(6).toString('hex')}`;
  const asAdmin = async (sql: string): Promise<void> => {
    const admin = new pg.Client(inDatabase(owner, 'postgres'));
    await admin.connect();
    await admin.query(sql).finally(() => admin.end());
  };
  await asAdmin(`create database "${name}"`);
  return {
    url: inDatabase(owner, name),
    drop: () => asAdmin(`drop database if exists "${name}" with (force)`),
  };
}

/** Connects to the database of a URL as the role of a service. */
export async function serviceDatabase(
  databaseUrl: string,
  service: ServiceName,
  entities: (new () => object)[] = [],
): Promise<Database> {
  const url = inDatabase(readTestEnvironment().STOREFRONT_TEST_DATABASES.services[service], nameIn(databaseUrl));
  return new Database(await serviceDataSource({ service, url, poolSize: 4, entities }).initialize());
}

type Consumer = (delivery: never) => Promise<void>;

/**
 * Relays of all services except accounts and webhooks, and consumers of `favorite.placed`,
 * `material.created` and `material.rendered`. No image is rendered.
 */
export class EventPipeline {
  private constructor(private readonly parts: { close: () => Promise<void> }[]) {}

  static async start({ databaseUrl, jobsUrl }: Stores): Promise<EventPipeline> {
    const urlOf = (service: ServiceName): string =>
      inDatabase(readTestEnvironment().STOREFRONT_TEST_DATABASES.services[service], nameIn(databaseUrl));
    const activity = await serviceDatabase(databaseUrl, 'activity', [ActivityEntity]);
    const rendering = await serviceDatabase(databaseUrl, 'material-rendering');
    const activities = new ActivityConsumer(new ActivityRepository(new OutboxSignal()));
    const workers = [
      worker('activity', jobsUrl, activity, {
        'favorite.placed': (delivery: never) => activities.addFavoriteActivity(delivery),
        'material.rendered': (delivery: never) => activities.addRenderingActivity(delivery),
      }),
      worker('material-rendering', jobsUrl, rendering, {
        'material.created': async ({ event, once }: Delivery<'material.created'>) => {
          await once((tx) => appendEvent(tx, 'material.rendered', { ...event.payload, images: 1 }));
        },
      }),
    ];
    const relays = (['catalog', 'social', 'material-rendering', 'activity'] as const).map(
      (service) => new Relay({ service, databaseUrl: urlOf(service), jobsUrl, requestsUrl: jobsUrl, sweepMs: 200 }),
    );
    for (const part of [...relays, ...workers]) part.start();
    const databases = [activity, rendering].map(({ source }) => ({ close: () => source.destroy() }));
    return new EventPipeline([...workers, ...relays, ...databases]);
  }

  async close(): Promise<void> {
    for (const part of this.parts.splice(0)) await part.close();
  }
}

function worker(service: ServiceName, jobsUrl: string, database: Database, consumers: Record<string, Consumer>) {
  return new EventWorker(
    { service, jobsUrl },
    new Map(Object.entries(consumers) as [EventName, Consumer][]) as never,
    database,
  );
}

/** Creates a shop with three materials and a function that places favorites. */
export async function smallShop() {
  const stack = await catalogStack();
  const folder = await mkdtemp(join(tmpdir(), 'storefront-backup-'));
  const stores: Stores = {
    databaseUrl: stack.ownerUrl,
    jobsUrl: testRedisUrl(),
    blobStoreUrl: pathToFileURL(join(folder, 'blobs')).href,
  };
  const blobs = openBlobStore(stores.blobStoreUrl);
  const owner = new pg.Client(stack.ownerUrl);
  await owner.connect();
  const textures: string[] = [];
  for (const words of ['cat', 'dog', 'owl']) {
    const hash = createHash('sha256').update(words).digest('hex');
    stack.rendering.textureFieldsOf = () => ({ hash, bytes: words.length });
    await blobs.put(`textures/${hash}`, Buffer.from(words));
    await owner.query(`insert into rendering.textures values ($1, 'png', 640, 480, $2, '#274b6d')`, [
      hash,
      words.length,
    ]);
    await createMaterial(stack, stack.hanako, { title: words, products: [wantedProduct(shirt)] });
    textures.push(hash);
  }
  const icon = { key: 'icons/own.svg', bytes: 3, sha256: createHash('sha256').update('svg').digest('hex') };
  await blobs.put(icon.key, Buffer.from('svg'));
  await owner.query(
    `update catalog.items set version = 1, bundle_hash = 'any', blobs = $1 where id = (select max(id) from catalog.items)`,
    [JSON.stringify([icon])],
  );
  const { rows: products } = await owner.query<{ id: number }>('select id from catalog.products order by id');
  const url = inDatabase(readTestEnvironment().STOREFRONT_TEST_DATABASES.services.social, nameIn(stack.ownerUrl));
  const social = await serviceDataSource({
    service: 'social',
    url,
    poolSize: 6,
    entities: [ProductFavoritesEntity],
  }).initialize();
  const database = new Database(social);
  const repository = new FavoriteRepository(database);
  const counts = new Map<string, number>();
  return {
    stack,
    stores,
    folder,
    blobs,
    owner,
    textures,
    /** Highest acknowledged count of favorites by `user/product`. */
    counts,
    placeFavorite: async (userId: number, index: number): Promise<void> => {
      const productId = products[index % products.length]!.id;
      const wanted = { userId, productId, count: 1, anonymous: false, stamp: { x: 0, y: 0, rotation: 0 } };
      const [placed] = await repository.place([{ favorite: wanted, storeResponse: undefined, metadata: {} }]);
      if (placed instanceof Error) throw placed;
      const { count } = (JSON.parse(placed!.body.toString()) as z.output<typeof FavoriteCreateResponse>).favorite;
      const key = `${userId}/${productId}`;
      counts.set(key, Math.max(count, counts.get(key) ?? 0));
    },
    close: async () => {
      await social.destroy();
      await owner.end();
      await stack.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type SmallShop = Awaited<ReturnType<typeof smallShop>>;

/** Waits until the outboxes of the pipeline are empty and `isDrained` returns true. */
export async function drained(owner: pg.Client, isDrained: () => Promise<boolean>): Promise<void> {
  await eventually(
    'all events are consumed',
    async () => {
      const { rows } = await owner.query<{ left: number }>(
        `select (select count(*) from catalog.outbox) + (select count(*) from social.outbox)
           + (select count(*) from rendering.outbox) + (select count(*) from activity.outbox) as left`,
      );
      return rows[0]!.left === 0 && (await isDrained());
    },
    60_000,
  );
}
