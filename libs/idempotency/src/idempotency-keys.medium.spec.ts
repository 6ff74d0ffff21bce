import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import pg from 'pg';
import { deferred } from '#concurrency';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Tx } from '#persistence';
import { currentCall, RawReply, runInCall } from '#request-queue';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { IdempotencyKeys, type StoreResponse, type StoredResponse } from './index.js';

let db: TestDatabase;
let owner: pg.Client;
let keys: IdempotencyKeys;
let nextKey = 0;

/** Returns a request of user 1 with a key that no other test uses. */
const request = (letter = 'a') => ({
  viewerId: 1,
  operation: 'things.make',
  idempotency: { key: `key ${(nextKey += 1)}`, fingerprint: letter.repeat(64) },
});
type Request = ReturnType<typeof request>;

const withOtherBody = (it: Request): Request => ({
  ...it,
  idempotency: { ...it.idempotency, fingerprint: 'b'.repeat(64) },
});
const insert = (tx: Tx, note: string) => tx.query('insert into effects (note) values ($1)', [note]);
const effects = async () => {
  const rows = await db.database.query<{ note: string }>('select note from effects order by id');
  return rows.map(({ note }) => note);
};
/** Returns a write that inserts a note and responds with it. */
const writeOf = (note: string) => (store: StoreResponse) =>
  db.database.transaction(async (tx) => {
    await insert(tx, note);
    return store(tx, RawReply.json(`{"note":"${note}"}`, { status: 201, headers: { etag: `"${note}"` } }));
  });
const run = (it: Request, note: string) => keys.once(it, writeOf(note));
const textOf = ({ body }: RawReply) => body.toString();
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'succeeded',
    (error: unknown) => error,
  );

/** Returns a write that waits before its transaction until `release` is called. */
function blockedWrite(note: string) {
  const { promise: released, resolve: release } = deferred();
  const { promise: started, resolve: start } = deferred();
  const write = async (store: StoreResponse): Promise<StoredResponse> => {
    start();
    await released;
    return writeOf(note)(store);
  };
  return { write, started, release };
}

const expireClaim = ({ idempotency }: Request) =>
  db.database.query(`update idempotency_keys set claimed_until = now() - interval '1 second' where key = $1`, [
    idempotency.key,
  ]);
const setAgeHours = ({ idempotency }: Request, hours: number) =>
  db.database.query(`update idempotency_keys set created_at = now() - $2 * interval '1 hour' where key = $1`, [
    idempotency.key,
    hours,
  ]);

beforeAll(async () => {
  // Any service that has the table
  db = await testDatabase('catalog');
  owner = new pg.Client({ connectionString: db.ownerUrl, options: '-c search_path=catalog' });
  await owner.connect();
  await owner.query('create table effects (id bigint generated always as identity, note text not null)');
  keys = new IdempotencyKeys(db.database);
});
afterAll(async () => {
  await owner.end();
  await db.close();
});
beforeEach(() => owner.query('truncate effects'));

const inProgress = { kind: problems['idempotency-key.in-progress'], headers: { 'retry-after': '1' } };
const reused = { kind: problems['idempotency-key.reused'] };
const replayed = { 'idempotency-replayed': 'true' };

describe('a write with an idempotency key', () => {
  it('runs once and replays its response byte for byte with status and headers', async () => {
    const it = request();
    const first = await run(it, 'one');
    const second = await run(it, 'two');
    expect(await effects()).toEqual(['one']);
    expect(second.body.equals(first.body)).toBe(true);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.headers).toEqual({ etag: '"one"' });
    expect(second.headers).toEqual({ etag: '"one"', ...replayed });
  });

  it('stores a binary body unchanged', async () => {
    const it = request();
    const bytes = Buffer.from([0, 255, 254, 128, 13, 10]);
    const write = (store: StoreResponse) => db.database.transaction((tx) => store(tx, RawReply.json(bytes)));
    await keys.once(it, write);
    expect((await keys.once(it, write)).body.equals(bytes)).toBe(true);
  });

  it('stores a long response compressed, and replays the same bytes', async () => {
    const it = request();
    const product = JSON.stringify({ title: 'Lighthouse 灯台', imageUrl: `http://localhost/${'0f'.repeat(20)}` });
    const body = Buffer.from(`{"products":[${Array.from({ length: 100 }, () => product).join()}]}`);
    const write = (store: StoreResponse) => db.database.transaction((tx) => store(tx, RawReply.json(body)));
    await keys.once(it, write);
    const [row] = await db.database.query<{ headers: object; body: Buffer }>(
      'select headers, body from idempotency_keys where key = $1',
      [it.idempotency.key],
    );
    expect(row!.body.length).toBeLessThan(body.length / 20);
    // A previous version sends the header and the body to clients unchanged
    expect(row!.headers).toEqual({ 'content-encoding': 'gzip' });
    expect(gunzipSync(row!.body).equals(body)).toBe(true);
    const replay = await keys.once(it, write);
    expect(replay.body.equals(body)).toBe(true);
    expect(replay.headers).toEqual(replayed);
  });

  it('stores a long rejection uncompressed, because every version parses it', async () => {
    const it = request();
    const rejection = new DomainError(problems['item.not-found'], 'x'.repeat(2_000));
    const write = () => Promise.reject(rejection);
    await failure(keys.once(it, write));
    const [row] = await db.database.query<{ text: string }>(
      `select convert_from(body, 'UTF8') as text from idempotency_keys where key = $1`,
      [it.idempotency.key],
    );
    expect(JSON.parse(row!.text)).toEqual(rejection.body());
    expect(await failure(keys.once(it, write))).toMatchObject({ detail: rejection.detail });
  });

  it('is rejected beyond 5,000 keys of a user, while those are still replayed', async () => {
    const first = { ...request(), viewerId: 77 };
    const reply = await run(first, 'one');
    await db.database.query(
      `insert into idempotency_keys (user_id, operation, key, fingerprint, claim, claimed_until)
       select 77, 'things.make', 'filled ' || n, repeat('a', 64), gen_random_uuid(), now() from generate_series(1, 4999) n`,
    );
    const tooMany = { kind: problems['idempotency-key.too-many'], status: 422 };
    expect(await failure(run({ ...request(), viewerId: 77 }, 'two'))).toMatchObject(tooMany);
    expect((await run(first, 'three')).body.equals(reply.body)).toBe(true);
    await run({ ...request(), viewerId: 77, idempotency: undefined } as unknown as Request, 'without a key');
    await run({ ...request(), viewerId: 78 }, 'of another user');
    await db.database.query(`delete from idempotency_keys where key = 'filled 1'`);
    await run({ ...request(), viewerId: 77 }, 'four');
    expect(await effects()).toEqual(['one', 'without a key', 'of another user', 'four']);
  });

  it('runs once for fifty concurrent requests; the others get the response or in-progress', async () => {
    const it = request();
    const tries = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => run(it, `number ${index}`)));
    const [note, ...more] = await effects();
    expect(more).toEqual([]);
    for (const done of tries)
      if (done.status === 'fulfilled') expect(textOf(done.value)).toBe(`{"note":"${note}"}`);
      else expect(done.reason).toMatchObject(inProgress);
    expect(tries.some(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('is independent of other users, operations and keys', async () => {
    const it = request();
    await run(it, 'one');
    await run({ ...it, viewerId: 2 }, 'two');
    await run({ ...it, operation: 'things.change' }, 'three');
    await run(request(), 'four');
    expect(await effects()).toEqual(['one', 'two', 'three', 'four']);
  });

  it('rejects a different request with the same key, during and after the first one', async () => {
    const it = request();
    const slow = blockedWrite('one');
    const first = keys.once(it, slow.write);
    await slow.started;
    expect(await failure(run(withOtherBody(it), 'two'))).toMatchObject(reused);
    expect(await failure(run(it, 'two'))).toMatchObject(inProgress);
    slow.release();
    await first;
    expect(await failure(run(withOtherBody(it), 'two'))).toMatchObject(reused);
    expect(await effects()).toEqual(['one']);
  });

  it('cannot return a response that it has not stored', async () => {
    const unstored = () => Promise.resolve(RawReply.json('{}'));
    // @ts-expect-error -- the response was not stored: the type check tests this line
    expect((await keys.once(request(), unstored)).headers).toEqual({});
  });

  it('runs each time without a key', async () => {
    const it = { ...request(), idempotency: undefined };
    expect((await keys.once(it, writeOf('one'))).headers).toEqual({ etag: '"one"' });
    await keys.once(it, writeOf('two'));
    expect(await effects()).toEqual(['one', 'two']);
  });
});

describe('a write that fails', () => {
  it('replays a rejection with its error paths and headers', async () => {
    const it = request();
    const errors = [{ path: 'body.title', message: 'says "no"' }];
    const rejection = new DomainError(problems['item.not-found'], 'Item 猫 does not exist.', errors, {
      'x-why': 'because',
    });
    let runs = 0;
    const write = () => {
      runs += 1;
      return Promise.reject(rejection);
    };
    expect(await failure(keys.once(it, write))).toBe(rejection);
    const again = (await failure(keys.once(it, write))) as DomainError;
    expect(again).toBeInstanceOf(DomainError);
    expect(again.kind).toBe(rejection.kind);
    expect(again.body()).toEqual(rejection.body());
    expect(again.headers).toEqual({ 'x-why': 'because', ...replayed });
    expect(runs).toBe(1);
  });

  it.each([
    ['service.unavailable', new DomainError(problems['service.unavailable'], 'unavailable')],
    ['service.no-answer', new DomainError(problems['service.no-answer'], 'timeout')],
    ['an unexpected error', new TypeError('x is not a function')],
  ])('deletes the key after %s', async (_, error) => {
    const it = request();
    expect(await failure(keys.once(it, () => Promise.reject(error)))).toBe(error);
    expect((await run(it, 'one')).headers).toEqual({ etag: '"one"' });
    // A different request may use the key, too, because the first one had no effect
    const other = request();
    await failure(keys.once(other, () => Promise.reject(error)));
    await run(withOtherBody(other), 'two');
    expect(await effects()).toEqual(['one', 'two']);
  });

  it('deletes the key when it fails after its caller has timed out', async () => {
    const it = request();
    const error = new Error('too late');
    const write = (): Promise<never> => {
      jest.spyOn(currentCall()!, 'remainingMs').mockReturnValue(0);
      return Promise.reject(error);
    };
    const call = { requestId: 'timed-out', timeoutMs: 60_000 };
    expect(await failure(runInCall(call, () => keys.once(it, write)))).toBe(error);
    await run(it, 'one');
    expect(await effects()).toEqual(['one']);
  });

  it('has neither an effect nor a response when its transaction fails after storing the response', async () => {
    const it = request();
    const broken = new Error('COMMIT failed');
    const write = (store: StoreResponse) =>
      db.database.transaction(async (tx) => {
        await insert(tx, 'lost');
        await store(tx, RawReply.json('{}'));
        throw broken;
      });
    expect(await failure(keys.once(it, write))).toBe(broken);
    await run(it, 'one');
    expect(await effects()).toEqual(['one']);
  });

  it('throws its own error while the key cannot be deleted, and deletes the key once the database recovers', async () => {
    const it = request();
    const error = new Error('write failed');
    const write = async (): Promise<never> => {
      await owner.query('alter table idempotency_keys rename to hidden');
      throw error;
    };
    expect(await failure(keys.once(it, write))).toBe(error);
    await owner.query('alter table hidden rename to idempotency_keys');
    await eventually('the key is deleted', () => run(it, 'one').then(Boolean, () => false));
    expect(await effects()).toEqual(['one']);
  });

  it('sends no further query when the key could not be claimed', async () => {
    const query = jest.spyOn(db.database, 'query');
    const unavailable = new DomainError(problems['service.unavailable'], 'unavailable');
    query.mockRejectedValue(unavailable);
    const failures = await Promise.all(Array.from({ length: 20 }, () => failure(run(request(), 'never'))));
    expect(failures).toEqual(Array(20).fill(unavailable));
    await sleep(600);
    expect(query).toHaveBeenCalledTimes(20);
    query.mockRestore();
    expect(await effects()).toEqual([]);
  });

  it('deletes keys one by one when the database recovers', async () => {
    const query = jest.spyOn(db.database, 'query');
    const all = Array.from({ length: 20 }, () => request());
    let claimed = 0;
    const write = async (): Promise<never> => {
      if (++claimed === all.length) query.mockRejectedValue(new Error('unavailable'));
      while (claimed < all.length) await sleep(5);
      throw new Error('write failed');
    };
    await Promise.all(all.map((it) => failure(keys.once(it, write))));
    query.mockClear();
    await sleep(1_200);
    // Two retries of the first deletion, and none of the others
    expect(query.mock.calls.length).toBeLessThan(5);
    query.mockRestore();
    for (const [at, it] of all.entries())
      await eventually('the key is deleted', () => run(it, `${at}`).then(Boolean, () => false));
    expect(await effects()).toEqual(all.map((_, at) => `${at}`));
  });
});

describe('an expired claim', () => {
  it('is taken over, and the transaction of the first write is rolled back', async () => {
    const it = request();
    const slow = blockedWrite('slow');
    const first = failure(keys.once(it, slow.write));
    await slow.started;
    await expireClaim(it);
    const second = await run(it, 'second');
    slow.release();
    expect(await first).toMatchObject(inProgress);
    expect(await effects()).toEqual(['second']);
    expect((await run(it, 'third')).body.equals(second.body)).toBe(true);
  });

  it('has lasted for the timeout of its caller and a grace period', async () => {
    const it = request();
    const slow = blockedWrite('slow');
    const first = runInCall({ requestId: 'waiting', timeoutMs: 20_000 }, () => keys.once(it, slow.write));
    await slow.started;
    const [claim] = await db.database.query<{ seconds: number }>(
      'select extract(epoch from claimed_until - created_at)::float8 as seconds from idempotency_keys where key = $1',
      [it.idempotency.key],
    );
    slow.release();
    await first;
    expect(claim!.seconds).toBeGreaterThan(5);
    expect(claim!.seconds).toBeLessThanOrEqual(25);
  });

  it('is not taken over while its response is being committed', async () => {
    const it = request();
    const { promise: committed, resolve: commit } = deferred();
    const { promise: stored, resolve: markStored } = deferred();
    const first = keys.once(it, async (store) => {
      await expireClaim(it);
      return db.database.transaction(async (tx) => {
        await insert(tx, 'slow');
        const reply = await store(tx, RawReply.json('{"note":"slow"}'));
        markStored();
        await committed;
        return reply;
      });
    });
    await stored;
    const second = run(it, 'second');
    await eventually('the second request waits for the row lock', async () => {
      const { rows } = await owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
    commit();
    expect((await second).body.equals((await first).body)).toBe(true);
    expect(await effects()).toEqual(['slow']);
  });

  it('is taken over by one of twenty concurrent requests', async () => {
    const it = request();
    await keys.once(it, (store) => db.database.transaction((tx) => store(tx, RawReply.json('{}'))));
    await db.database.query('update idempotency_keys set status = null, headers = null, body = null where key = $1', [
      it.idempotency.key,
    ]);
    await expireClaim(it);
    await Promise.allSettled(Array.from({ length: 20 }, (_, index) => run(it, `number ${index}`)));
    expect(await effects()).toHaveLength(1);
  });

  it('is not taken over by a different request', async () => {
    const it = request();
    const slow = blockedWrite('slow');
    const first = keys.once(it, slow.write);
    await slow.started;
    await expireClaim(it);
    expect(await failure(run(withOtherBody(it), 'other'))).toMatchObject(reused);
    slow.release();
    await first;
    expect(await effects()).toEqual(['slow']);
  });
});

describe('an idempotency key', () => {
  it('expires after 24 hours and may then be used for a different request', async () => {
    const it = request();
    await run(it, 'one');
    await setAgeHours(it, 23.9);
    expect((await run(it, 'two')).headers).toMatchObject(replayed);
    await setAgeHours(it, 24.1);
    const response = await run(withOtherBody(it), 'three');
    expect(response.headers).toEqual({ etag: '"three"' });
    expect((await run(withOtherBody(it), 'four')).body.equals(response.body)).toBe(true);
    expect(await effects()).toEqual(['one', 'three']);
  });

  it('is deleted when it has expired, and not before', async () => {
    const [expired, recent] = [request(), request()];
    await run(expired, 'one');
    await run(recent, 'two');
    await keys.deleteExpired();
    await setAgeHours(expired, 24.1);
    expect(await keys.deleteExpired()).toBe(1);
    expect((await run(recent, 'three')).headers).toMatchObject(replayed);
  });

  it('is deleted when it has expired, in any number of batches', async () => {
    await keys.deleteExpired();
    await db.database.query(
      `insert into idempotency_keys (user_id, operation, key, fingerprint, claim, claimed_until, created_at)
       select 1, 'materials.create', 'old ' || n, repeat('a', 64), gen_random_uuid(), now(), now() - interval '25 hours'
       from generate_series(1, 2500) as n`,
    );
    expect(await keys.deleteExpired()).toBe(2_500);
  });
});
