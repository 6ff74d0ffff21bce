import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { testDatabase, type TestDatabase } from '#testing';
import { checkEvents } from './check-events.js';
import { LoadLedger } from './ledger.js';
import { Notes } from './notes.js';

const user = (id: number) => ({ id, name: `user-${id}`, apiKey: 'key' });
const product = { id: 30, itemId: 10, published: true, resizeMode: null, sampleImageUrl: '' };

let db: TestDatabase;
let owner: pg.Client;
let ledger: LoadLedger;

beforeAll(async () => {
  db = await testDatabase('webhooks');
  owner = new pg.Client({ connectionString: db.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await db.close();
});

const log = (type: string, userId: number, data: object, sequence = 1, id = randomUUID()) =>
  owner.query(
    `insert into webhooks.events (event_id, user_id, type, sequence, data, metadata, occurred_at)
     values ($1, $2, $3, $4, $5, '{}', now())`,
    [id, userId, type, sequence, JSON.stringify(data)],
  );

/** User 2 makes material 3 with product 30, and user 1 places and withdraws a favorite of it. */
beforeEach(async () => {
  await owner.query('truncate webhooks.events, webhooks.early_events, social.favorites cascade');
  ledger = new LoadLedger([user(1), user(2)]);
  ledger.made(2, 'Gull', { id: 3, title: 'Gull', products: [product] });
  ledger.retitling(3, 'Tide');
  ledger.retitled(3, 'Tide', 'Tide');
  ledger.placing({ userId: 1, productId: 30, ownerId: 2 }, 1);
  ledger.placed('1/30', new Set([0]), 1, { count: 1, totalCount: 1 });
  ledger.withdrawing('1/30');
  ledger.withdrawn('1/30', new Set([1]), 1);
  await log('material.created', 2, { materialId: 3 });
  await log('material.updated', 2, { materialId: 3 }, 2);
  await log('material.rendered', 2, { materialId: 3 }, 3);
  await log('product.published', 2, { productId: 30, materialId: 3 });
  for (const viewer of [1, 2]) {
    await log('favorite.placed', viewer, { favoriteId: 7, productId: 30, userId: 1 });
    await log('favorite.withdrawn', viewer, { favoriteId: 7, productId: 30, userId: 1 }, 2);
  }
});

async function found() {
  const notes = new Notes();
  await checkEvents(owner, ledger, notes);
  return notes.findings(0);
}
const none = { lost: [], duplicated: [], wrong: [], settledMs: 0 };
const drop = (condition: string) => owner.query(`delete from webhooks.events where ${condition}`);

it('reports nothing if each change is in the log once', async () => {
  expect(await found()).toEqual(none);
});

it.each([
  ['material.created', 2, 3],
  ['material.updated', 2, 3],
  ['material.rendered', 2, 3],
  ['product.published', 2, 30],
  ['favorite.placed', 1, 30],
  ['favorite.placed', 2, 30],
  ['favorite.withdrawn', 2, 30],
])('reports that %s is missing in the log of user %d', async (type, viewer, id) => {
  await drop(`type = '${type}' and user_id = ${viewer}`);
  expect((await found()).lost).toEqual([`${type} of ${id} is 0 times in the log of user ${viewer} instead of 1`]);
});

it.each([
  ['material.deleted', { materialId: 3 }, 3],
  ['product.unpublished', { productId: 30, materialId: 3 }, 30],
])('reports %s of a resource that was not deleted', async (type, data, id) => {
  await log(type, 2, data, type === 'material.deleted' ? 4 : 2);
  expect((await found()).duplicated).toEqual([`${type} of ${id} is 1 times in the log of user 2 instead of 0`]);
});

it('accepts that a write without a response has an event or none', async () => {
  ledger.retitling(3, 'Rope');
  ledger.deleting(3);
  expect(await found()).toEqual(none);
  await log('material.updated', 2, { materialId: 3 }, 4);
  await log('material.deleted', 2, { materialId: 3 }, 5);
  await log('product.unpublished', 2, { productId: 30, materialId: 3 }, 2);
  expect(await found()).toEqual(none);
});

it('reports an event that is twice in a log', async () => {
  const id = randomUUID();
  await log('sale.recorded', 2, { productId: 30 }, 1, id);
  await log('sale.recorded', 2, { productId: 30 }, 2, id);
  expect((await found()).duplicated).toEqual([`event ${id} is 2 times in the log of user 2`]);
});

it.each([
  ['with a gap', 'update webhooks.events set sequence = 4 where sequence = 3', '1,2,4'],
  ['in another order', `update webhooks.events set sequence = 5 - sequence where type ~ '^material.[ur]'`, '1,3,2'],
])('reports the events of a resource %s', async (_, mutation, order) => {
  await owner.query(mutation);
  expect((await found()).wrong).toEqual([`the events of material 3 in the log of user 2 have the order ${order}`]);
});

it('reports a committed change without an event, also without a response to its request', async () => {
  await owner.query('insert into social.product_favorites values (31, 2) on conflict do nothing');
  await owner.query(
    `insert into social.favorites (id, product_id, user_id, count, anonymous, x, y, rotation, revision) overriding system value
     values (8, 31, 1, 2, false, 0, 0, 0, 2)`,
  );
  await log('favorite.placed', 1, { favoriteId: 8, productId: 31, userId: 1 });
  expect((await found()).lost).toEqual(['favorite 8 has 2 changes and 1 events']);
});

it('reports an event that waits for an earlier one', async () => {
  await owner.query(
    `insert into webhooks.early_events (event_id, resource, revision, follows, ended, type, copies, metadata, occurred_at)
     values (gen_random_uuid(), 'material:3', 4, false, '[]', 'material.updated', '[]', '{}', now())`,
  );
  expect((await found()).lost).toEqual(['an event of material 3 waits for an earlier one']);
});
