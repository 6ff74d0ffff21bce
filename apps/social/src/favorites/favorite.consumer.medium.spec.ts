import { randomUUID } from 'node:crypto';
import type { EventEnvelope } from '#contracts';
import { onceInInbox } from '#events';
import { testDatabase, type TestDatabase } from '#testing';
import { FavoriteConsumer } from './favorite.consumer.js';
import { FavoriteEntity } from './favorite.entity.js';
import { FavoriteRepository } from './favorite.repository.js';
import { drawStamp } from './favorite.js';
import { ProductFavoritesEntity } from './product-favorites.entity.js';

let db: TestDatabase;
let favorites: FavoriteRepository;
let consumer: FavoriteConsumer;

const place = (productId: number) =>
  favorites.place({
    userId: 1,
    product: { productId, title: 'Lighthouse', ownerId: 7 },
    count: 1,
    anonymous: false,
    stamp: drawStamp(Math.random),
  });
const deleted = (productIds: number[]): EventEnvelope<'material.deleted'> => ({
  id: randomUUID(),
  name: 'material.deleted',
  version: 1,
  occurredAt: new Date().toISOString(),
  payload: { materialId: 5, userId: 7, productIds, filePath: '5/1-1x1.png' },
  metadata: {},
});
const deliver = (event: EventEnvelope<'material.deleted'>) =>
  consumer.dropOfDeletedMaterial({
    event,
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => Promise.resolve(),
    once: onceInInbox(db.database, event.id),
  });
const left = async () => [
  await db.database.query('select product_id as id from favorites order by 1'),
  await db.database.query('select product_id as id from product_favorites order by 1'),
];

beforeAll(async () => {
  db = await testDatabase('social', [FavoriteEntity, ProductFavoritesEntity]);
  favorites = new FavoriteRepository(db.database);
  consumer = new FavoriteConsumer(favorites);
});
afterAll(() => db.close());
beforeEach(async () => {
  for (const table of ['favorites', 'product_favorites', 'inbox']) await db.database.query(`delete from ${table}`);
});

describe('a deleted material', () => {
  it('takes the favorites and counters of its products with it, and no others', async () => {
    for (const id of [10, 11, 12]) await place(id);
    await deliver(deleted([10, 12]));
    expect(await left()).toEqual([[{ id: 11 }], [{ id: 11 }]]);
  });

  it('had no products, and nothing is dropped', async () => {
    await place(10);
    await deliver(deleted([]));
    expect(await left()).toEqual([[{ id: 10 }], [{ id: 10 }]]);
  });

  it('that is told twice changes nothing the second time', async () => {
    const event = deleted([10]);
    await deliver(event);
    await place(10);
    await deliver(event);
    expect(await left()).toEqual([[{ id: 10 }], [{ id: 10 }]]);
  });
});
