import pg from 'pg';
import { testDatabase, type TestDatabase } from '#testing';
import { DeliveryRepository } from './delivery.repository.js';
import { appendEvent, insertEndpoint } from './testing/rows.js';

let db: TestDatabase;
let accounts: pg.Client;

beforeAll(async () => {
  db = await testDatabase('webhooks');
  accounts = new pg.Client({ connectionString: db.urlOf('accounts'), options: '-c search_path=accounts' });
  await accounts.connect();
  await accounts.query(`
    insert into users (name, email) select 'user' || n, n || '@example.com' from generate_series(1, 3) n;
    insert into applications (owner_id, client_id, name, description, redirect_uris, scopes, confidential)
      select 3, 'client' || n, 'app', '', '{https://example.com}', '{read,write}', false from generate_series(1, 2) n;
    insert into consents (user_id, application_id, scopes) values (1, 1, '{read}'), (2, 1, '{write}')`);
});
afterAll(async () => {
  await accounts.end();
  await db.close();
});
beforeEach(async () => {
  for (const table of ['webhook_endpoints', 'events']) await db.database.query(`delete from ${table}`);
});

/** Returns the users whose event an endpoint receives when users 1, 2 and 3 have one each. */
async function receivedBy(endpoint: Parameters<typeof insertEndpoint>[1], type = 'sale.recorded'): Promise<number[]> {
  const id = await insertEndpoint(db.database, endpoint);
  for (const userId of [1, 2, 3]) await appendEvent(db.database, { type, userId });
  const rows = await db.database.query<{ userId: number }>(
    `select e.user_id as "userId" from webhook_deliveries d join events e using (position)
     where d.endpoint_id = $1 and d.status = 'pending' and d.next_attempt_at <= now() order by 1`,
    [id],
  );
  return rows.map(({ userId }) => userId);
}

it('an endpoint receives the events of its user', async () => {
  expect(await receivedBy({ userId: 1 })).toEqual([1]);
});

it('an endpoint receives the types that it lists', async () => {
  expect(await receivedBy({ userId: 1, types: ['material.created', 'sale.recorded'] })).toEqual([1]);
  expect(await receivedBy({ userId: 1, types: ['material.created'] })).toEqual([]);
});

it.each(['paused', 'disabled'])('an endpoint that is %s receives nothing', async (status) => {
  expect(await receivedBy({ userId: 1, status })).toEqual([]);
});

it('an endpoint of an application receives the events of users with a consent to read', async () => {
  expect(await receivedBy({ userId: 3, applicationId: 1 })).toEqual([1]);
  expect(await receivedBy({ userId: 3, applicationId: 2 })).toEqual([]);
});

it('an endpoint of an application receives the id of the user, not of its owner', async () => {
  await receivedBy({ userId: 3, applicationId: 1 });
  const deliveries = new DeliveryRepository(db.database);
  const [claim] = await deliveries.claim({ perEndpoint: 8, shared: 256 }, 10, 1_000);
  expect(await deliveries.find(claim!)).toMatchObject({ userId: 1, ownerId: 3 });
});

it('an event that waits for an earlier one is delivered after it', async () => {
  await insertEndpoint(db.database, { userId: 1 });
  const waiting = { type: 'material.updated', userId: 1, resource: 'material:1', revision: 2 };
  await appendEvent(db.database, waiting);
  const delivered = () =>
    db.database.query('select e.sequence from webhook_deliveries join events e using (position) order by position');
  expect(await delivered()).toEqual([]);
  await appendEvent(db.database, { ...waiting, type: 'material.created', revision: 1 });
  expect(await delivered()).toEqual([{ sequence: 1 }, { sequence: 2 }]);
});

it('deleting events deletes their deliveries', async () => {
  await receivedBy({ userId: 1 });
  await db.database.query('delete from events');
  expect(await db.database.query('select from webhook_deliveries')).toEqual([]);
});
