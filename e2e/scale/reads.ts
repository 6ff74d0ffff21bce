import { type DataSource } from 'typeorm';
import { type PayloadOf, type ServiceName, type Services } from '#contracts';
import { dateTimeWriter, systemClock } from '#kernel';
import { Database, serviceDataSource } from '#persistence';
import { type BroadcastListener, type QueueClients } from '#request-queue';
import { UserQueries } from '../../apps/accounts/src/users/user.queries.js';
import { ActivityJson } from '../../apps/activity/src/activities/activity.json.js';
import { ActivityQueries } from '../../apps/activity/src/activities/activity.queries.js';
import { ItemCache } from '../../apps/catalog/src/items/item.cache.js';
import { ItemQueries } from '../../apps/catalog/src/items/item.queries.js';
import { MaterialQueries } from '../../apps/catalog/src/materials/material.queries.js';
import { ImageSourceQueries } from '../../apps/catalog/src/materials/image-source.queries.js';
import { CacheValidator } from '../../apps/catalog/src/products/caching/cache-validator.queries.js';
import { ReplyValidity } from '../../apps/catalog/src/products/caching/reply-validity.rules.js';
import { ResponseCache } from '../../apps/catalog/src/products/caching/response.cache.js';
import { ProductQueries } from '../../apps/catalog/src/products/product.queries.js';
import { ProductJsonCache } from '../../apps/catalog/src/products/caching/product-json.cache.js';
import { SaleCache } from '../../apps/catalog/src/sales/sale.cache.js';
import { SaleQueries } from '../../apps/catalog/src/sales/sale.queries.js';
import { SitemapQueries } from '../../apps/catalog/src/sitemaps/sitemap.queries.js';
import { settings } from '../../apps/catalog/src/testing/catalog-fixture.js';
import { ChoiceQueries } from '../../apps/social/src/choices/choice.queries.js';
import { FavoriteQueries } from '../../apps/social/src/favorites/favorite.queries.js';

/** A statement sent by a read. */
export interface SentStatement {
  readonly service: (typeof measuredServices)[number];
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** True if the statement is prepared when it is repeated, so that it may get a generic plan. */
  readonly isPrepared: boolean;
  /** Time in milliseconds after which the read cancels the statement, if it has its own limit. */
  readonly withinMs: number | undefined;
}

/** Database that records statements. */
class RecordingDatabase extends Database {
  constructor(
    source: DataSource,
    private readonly service: SentStatement['service'],
    private readonly sent: SentStatement[],
  ) {
    super(source);
  }

  override query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    this.sent.push({ service: this.service, sql, parameters, isPrepared: false, withinMs: undefined });
    return super.query(sql, parameters);
  }

  override read<Row extends object>(
    sql: string,
    parameters: readonly unknown[] = [],
    withinMs?: number,
  ): Promise<Row[]> {
    this.sent.push({ service: this.service, sql, parameters, isPrepared: true, withinMs });
    return super.read(sql, parameters, withinMs);
  }

  override write<Row extends object>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    this.sent.push({ service: this.service, sql, parameters, isPrepared: true, withinMs: undefined });
    return super.write(sql, parameters);
  }
}

// Nothing is published: items and sales do not change during the measurement
const noBroadcasts = undefined as unknown as BroadcastListener;

type Databases = Readonly<Record<(typeof measuredServices)[number], Database>>;

/** Items and sales, which a process caches at its start. */
interface CachedData {
  readonly catalog: ItemCache;
  readonly sales: SaleCache;
}

/** Query classes of the services, composed as in the services, without the request queue. */
export type Reads = ReturnType<typeof readsOf>;

function readsOf(databases: Databases, { catalog, sales }: CachedData) {
  const database = databases.catalog;
  const products = new ProductQueries(
    database,
    catalog,
    sales,
    new ResponseCache(new CacheValidator(database), new ReplyValidity(settings), settings),
    new ProductJsonCache(settings),
  );
  const page = (_: string, payload: PayloadOf<Services['catalog'], 'products.page'>) => products.chosen(payload);
  // Calls catalog directly instead of over the request queue
  const client = {
    request: page,
    call: async (...parameters: Parameters<typeof page>): Promise<unknown> =>
      JSON.parse((await page(...parameters)).body.toString()),
  };
  const clients = { of: () => client } as unknown as QueueClients;
  return {
    products,
    materials: new MaterialQueries(database, new ReplyValidity(settings), settings),
    images: new ImageSourceQueries(database, catalog),
    sitemaps: new SitemapQueries(database, catalog),
    favorites: new FavoriteQueries(databases.social, clients),
    choices: new ChoiceQueries(databases.social, clients),
    activities: new ActivityQueries(databases.activity, new ActivityJson(dateTimeWriter('spec', 'UTC'), systemClock)),
    users: new UserQueries(databases.accounts),
  };
}

const measuredServices = ['accounts', 'catalog', 'social', 'activity'] as const;

export interface RecordedReads {
  /** Returns the statements of a read, in order. Only items and sales are cached before. */
  sentBy(read: (reads: Reads) => Promise<unknown>): Promise<readonly SentStatement[]>;
  /** Databases by service. */
  readonly databases: Databases;
  close(): Promise<void>;
}

/** Starts recording. @param urlOf returns the database URL of a service */
export async function recordReads(urlOf: (service: ServiceName) => string): Promise<RecordedReads> {
  const sent: SentStatement[] = [];
  const connected = await Promise.all(
    measuredServices.map(async (service) => {
      const source = serviceDataSource({ service, url: urlOf(service), poolSize: 2, entities: [] });
      return [service, new RecordingDatabase(await source.initialize(), service, sent)] as const;
    }),
  );
  const databases = Object.fromEntries(connected) as unknown as Databases;
  const catalog = new ItemCache(new ItemQueries(databases.catalog), settings, noBroadcasts);
  const sales = new SaleCache(new SaleQueries(databases.catalog), noBroadcasts);
  await Promise.all([catalog.current(), sales.running()]);
  return {
    databases,
    sentBy: async (read) => {
      sent.length = 0;
      await read(readsOf(databases, { catalog, sales }));
      return [...sent];
    },
    close: async () => {
      for (const [, { source }] of connected) await source.destroy();
    },
  };
}
