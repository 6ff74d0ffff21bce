import pg from 'pg';
import { roleOf } from '#persistence';
import { testDatabase, type TestDatabase } from '#testing';

let db: TestDatabase;
let owner: pg.Client;

beforeAll(async () => {
  db = await testDatabase('accounts');
  owner = new pg.Client(db.ownerUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await db.close();
});
afterEach(() => owner.query('reset role'));

describe.each(['catalog', 'social', 'activity'] as const)('%s', (service) => {
  it('may read the published columns of users and identities', async () => {
    await owner.query(`set role ${roleOf(service)}`);
    const users = await owner.query(
      'select id, name, display_name, avatar_url, profile, official from accounts.users where id = 0',
    );
    expect(users.rows).toEqual([
      {
        id: 0,
        name: 'anonymous',
        display_name: null,
        avatar_url: null,
        profile: { url: null, body: null, headerUrl: null },
        official: false,
      },
    ]);
    await expect(owner.query('select * from accounts.identities')).resolves.toMatchObject({ rowCount: 0 });
  });

  it.each([
    'select email from accounts.users',
    'select password_hash from accounts.users',
    'select * from accounts.access_tokens',
    `update accounts.users set name = 'other'`,
    'delete from accounts.identities',
  ])('may not execute: %s', async (statement) => {
    await owner.query(`set role ${roleOf(service)}`);
    await expect(owner.query(statement)).rejects.toThrow('permission denied');
  });
});

it('denies material-rendering the use of the schema', async () => {
  await owner.query(`set role ${roleOf('material-rendering')}`);
  await expect(owner.query('select id from accounts.users')).rejects.toThrow('permission denied for schema accounts');
});

describe('webhooks', () => {
  beforeEach(() => owner.query(`set role ${roleOf('webhooks')}`));

  it('may read who has consented to which application', async () => {
    const rows = 'select c.user_id, c.scopes, a.owner_id from accounts.consents c join accounts.applications a';
    await expect(owner.query(`${rows} on a.id = c.application_id`)).resolves.toMatchObject({ rowCount: 0 });
  });

  it.each([
    'select secret_hash from accounts.applications',
    'select last_used_at from accounts.consents',
    'select id from accounts.users',
    'delete from accounts.consents',
  ])('may not execute: %s', async (statement) => {
    await expect(owner.query(statement)).rejects.toThrow('permission denied');
  });
});
