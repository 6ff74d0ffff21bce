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
import { IdempotencyKeys, type Keep, type KeptReply } from './index.js';

let db: TestDatabase;
let owner: pg.Client;
let keys: IdempotencyKeys;
let nextKey = 0;

/** A request of user 1 under a key that no other test uses. */
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
/** A write with one effect, which answers its note. */
const making = (note: string) => (keep: Keep) =>
  db.database.transaction(async (tx) => {
    await insert(tx, note);
    return keep(tx, RawReply.json(`{"note":"${note}"}`, { status: 201, headers: { etag: `"${note}"` } }));
  });
const make = (it: Request, note: string) => keys.once(it, making(note));
const textOf = ({ body }: RawReply) => body.toString();
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'answered',
    (error: unknown) => error,
  );

/** A write that waits before its transaction, until it is let go. */
function slowly(note: string) {
  const { promise: gate, resolve: letGo } = deferred();
  const { promise: begun, resolve: begin } = deferred();
  const write = async (keep: Keep): Promise<KeptReply> => {
    begin();
    await gate;
    return making(note)(keep);
  };
  return { write, begun, letGo };
}

const expire = ({ idempotency }: Request) =>
  db.database.query(`update idempotency_keys set claimed_until = now() - interval '1 second' where key = $1`, [
    idempotency.key,
  ]);
const age = ({ idempotency }: Request, hours: number) =>
  db.database.query(`update idempotency_keys set created_at = now() - $2 * interval '1 hour' where key = $1`, [
    idempotency.key,
    hours,
  ]);

beforeAll(async () => {
  // Any service with the table
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

describe('a write under a key', () => {
  it('has one effect, and its answer is given again byte for byte with status and headers', async () => {
    const it = request();
    const first = await make(it, 'one');
    const second = await make(it, 'two');
    expect(await effects()).toEqual(['one']);
    expect(second.body.equals(first.body)).toBe(true);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.headers).toEqual({ etag: '"one"' });
    expect(second.headers).toEqual({ etag: '"one"', ...replayed });
  });

  it('keeps bytes that are no text', async () => {
    const it = request();
    const bytes = Buffer.from([0, 255, 254, 128, 13, 10]);
    const write = (keep: Keep) => db.database.transaction((tx) => keep(tx, RawReply.json(bytes)));
    await keys.once(it, write);
    expect((await keys.once(it, write)).body.equals(bytes)).toBe(true);
  });

  it('stores a long response compressed, and replays the same bytes', async () => {
    const it = request();
    const product = JSON.stringify({ title: 'Lighthouse 灯台', imageUrl: `http://localhost/${'0f'.repeat(20)}` });
    const body = Buffer.from(`{"products":[${Array.from({ length: 100 }, () => product).join()}]}`);
    const write = (keep: Keep) => db.database.transaction((tx) => keep(tx, RawReply.json(body)));
    await keys.once(it, write);
    const [row] = await db.database.query<{ headers: object; body: Buffer }>(
      'select headers, body from idempotency_keys where key = $1',
      [it.idempotency.key],
    );
    expect(row!.body.length).toBeLessThan(body.length / 20);
    // What the version before sends as it is
    expect(row!.headers).toEqual({ 'content-encoding': 'gzip' });
    expect(gunzipSync(row!.body).equals(body)).toBe(true);
    const replay = await keys.once(it, write);
    expect(replay.body.equals(body)).toBe(true);
    expect(replay.headers).toEqual(replayed);
  });

  it('stores a long rejection as it is: every version reads it', async () => {
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
    const reply = await make(first, 'one');
    await db.database.query(
      `insert into idempotency_keys (user_id, operation, key, fingerprint, claim, claimed_until)
       select 77, 'things.make', 'filled ' || n, repeat('a', 64), gen_random_uuid(), now() from generate_series(1, 4999) n`,
    );
    const tooMany = { kind: problems['idempotency-key.too-many'], status: 422 };
    expect(await failure(make({ ...request(), viewerId: 77 }, 'two'))).toMatchObject(tooMany);
    expect((await make(first, 'three')).body.equals(reply.body)).toBe(true);
    await make({ ...request(), viewerId: 77, idempotency: undefined } as unknown as Request, 'without a key');
    await make({ ...request(), viewerId: 78 }, 'of another user');
    await db.database.query(`delete from idempotency_keys where key = 'filled 1'`);
    await make({ ...request(), viewerId: 77 }, 'four');
    expect(await effects()).toEqual(['one', 'without a key', 'of another user', 'four']);
  });

  it('has one effect when fifty come at once; the others hear that it runs, or its answer', async () => {
    const it = request();
    const tries = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => make(it, `number ${index}`)));
    const [note, ...more] = await effects();
    expect(more).toEqual([]);
    for (const done of tries)
      if (done.status === 'fulfilled') expect(textOf(done.value)).toBe(`{"note":"${note}"}`);
      else expect(done.reason).toMatchObject(inProgress);
    expect(tries.some(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('is another one for another user, for another operation and under another key', async () => {
    const it = request();
    await make(it, 'one');
    await make({ ...it, viewerId: 2 }, 'two');
    await make({ ...it, operation: 'things.change' }, 'three');
    await make(request(), 'four');
    expect(await effects()).toEqual(['one', 'two', 'three', 'four']);
  });

  it('refuses another request, while the first runs and when it has ended', async () => {
    const it = request();
    const slow = slowly('one');
    const first = keys.once(it, slow.write);
    await slow.begun;
    expect(await failure(make(withOtherBody(it), 'two'))).toMatchObject(reused);
    expect(await failure(make(it, 'two'))).toMatchObject(inProgress);
    slow.letGo();
    await first;
    expect(await failure(make(withOtherBody(it), 'two'))).toMatchObject(reused);
    expect(await effects()).toEqual(['one']);
  });

  it('cannot answer what it has not kept', async () => {
    const unkept = () => Promise.resolve(RawReply.json('{}'));
    // @ts-expect-error -- its answer did not go through `keep`: the compiler checks this line
    expect((await keys.once(request(), unkept)).headers).toEqual({});
  });

  it('runs each time without a key', async () => {
    const it = { ...request(), idempotency: undefined };
    expect((await keys.once(it, making('one'))).headers).toEqual({ etag: '"one"' });
    await keys.once(it, making('two'));
    expect(await effects()).toEqual(['one', 'two']);
  });
});

describe('a write that does not succeed', () => {
  it('is refused again as it was refused first, with its places and headers', async () => {
    const it = request();
    const errors = [{ path: 'body.title', message: 'says "no"' }];
    const refusal = new DomainError(problems['item.not-found'], 'There is no item 猫.', errors, { 'x-why': 'because' });
    let runs = 0;
    const write = () => {
      runs += 1;
      return Promise.reject(refusal);
    };
    expect(await failure(keys.once(it, write))).toBe(refusal);
    const again = (await failure(keys.once(it, write))) as DomainError;
    expect(again).toBeInstanceOf(DomainError);
    expect(again.kind).toBe(refusal.kind);
    expect(again.body()).toEqual(refusal.body());
    expect(again.headers).toEqual({ 'x-why': 'because', ...replayed });
    expect(runs).toBe(1);
  });

  it.each([
    ['a part that is away', new DomainError(problems['service.unavailable'], 'away')],
    ['a part that does not answer', new DomainError(problems['service.no-answer'], 'silent')],
    ['a defect', new TypeError('x is not a function')],
  ])('leaves the key free after %s', async (_, error) => {
    const it = request();
    expect(await failure(keys.once(it, () => Promise.reject(error)))).toBe(error);
    expect((await make(it, 'one')).headers).toEqual({ etag: '"one"' });
    // Free also for another request: nothing has come of the first
    const other = request();
    await failure(keys.once(other, () => Promise.reject(error)));
    await make(withOtherBody(other), 'two');
    expect(await effects()).toEqual(['one', 'two']);
  });

  it('leaves the key free when it fails after its caller has gone', async () => {
    const it = request();
    const error = new Error('too late');
    const write = (): Promise<never> => {
      jest.spyOn(currentCall()!, 'remainingMs').mockReturnValue(0);
      return Promise.reject(error);
    };
    const call = { requestId: 'impatient', timeoutMs: 60_000 };
    expect(await failure(runInCall(call, () => keys.once(it, write)))).toBe(error);
    await make(it, 'one');
    expect(await effects()).toEqual(['one']);
  });

  it('has neither effect nor answer when its transaction fails after the answer was kept', async () => {
    const it = request();
    const broken = new Error('COMMIT failed');
    const write = (keep: Keep) =>
      db.database.transaction(async (tx) => {
        await insert(tx, 'lost');
        await keep(tx, RawReply.json('{}'));
        throw broken;
      });
    expect(await failure(keys.once(it, write))).toBe(broken);
    await make(it, 'one');
    expect(await effects()).toEqual(['one']);
  });

  it('says why, also when its key cannot be given back before the database is there again', async () => {
    const it = request();
    const error = new Error('what went wrong');
    const write = async (): Promise<never> => {
      await owner.query('alter table idempotency_keys rename to hidden');
      throw error;
    };
    expect(await failure(keys.once(it, write))).toBe(error);
    await owner.query('alter table hidden rename to idempotency_keys');
    await eventually('the key is free', () => make(it, 'one').then(Boolean, () => false));
    expect(await effects()).toEqual(['one']);
  });

  it('asks nothing more of a database that could not even claim its key', async () => {
    const asked = jest.spyOn(db.database, 'query');
    const away = new DomainError(problems['service.unavailable'], 'away');
    asked.mockRejectedValue(away);
    const failures = await Promise.all(Array.from({ length: 20 }, () => failure(make(request(), 'never'))));
    expect(failures).toEqual(Array(20).fill(away));
    await sleep(600);
    expect(asked).toHaveBeenCalledTimes(20);
    asked.mockRestore();
    expect(await effects()).toEqual([]);
  });

  it('gives keys back one after the other when the database is there again', async () => {
    const asked = jest.spyOn(db.database, 'query');
    const all = Array.from({ length: 20 }, () => request());
    let claimed = 0;
    const write = async (): Promise<never> => {
      if (++claimed === all.length) asked.mockRejectedValue(new Error('away'));
      while (claimed < all.length) await sleep(5);
      throw new Error('what went wrong');
    };
    await Promise.all(all.map((it) => failure(keys.once(it, write))));
    asked.mockClear();
    await sleep(1_200);
    // Twice the first one, not all of them again and again
    expect(asked.mock.calls.length).toBeLessThan(5);
    asked.mockRestore();
    for (const [at, it] of all.entries())
      await eventually('a free key', () => make(it, `${at}`).then(Boolean, () => false));
    expect(await effects()).toEqual(all.map((_, at) => `${at}`));
  });
});

describe('a claim that is older than its time', () => {
  it('is taken over, and what held it is undone when it wants to end', async () => {
    const it = request();
    const slow = slowly('slow');
    const first = failure(keys.once(it, slow.write));
    await slow.begun;
    await expire(it);
    const second = await make(it, 'second');
    slow.letGo();
    expect(await first).toMatchObject(inProgress);
    expect(await effects()).toEqual(['second']);
    expect((await make(it, 'third')).body.equals(second.body)).toBe(true);
  });

  it('has the time that its caller waits, and a moment more', async () => {
    const it = request();
    const slow = slowly('slow');
    const first = runInCall({ requestId: 'patient', timeoutMs: 20_000 }, () => keys.once(it, slow.write));
    await slow.begun;
    const [claim] = await db.database.query<{ seconds: number }>(
      'select extract(epoch from claimed_until - created_at)::float8 as seconds from idempotency_keys where key = $1',
      [it.idempotency.key],
    );
    slow.letGo();
    await first;
    expect(claim!.seconds).toBeGreaterThan(5);
    expect(claim!.seconds).toBeLessThanOrEqual(25);
  });

  it('is not taken over while the answer it held is about to be committed', async () => {
    const it = request();
    const { promise: committed, resolve: commit } = deferred();
    const { promise: kept, resolve: begin } = deferred();
    const first = keys.once(it, async (keep) => {
      await expire(it);
      return db.database.transaction(async (tx) => {
        await insert(tx, 'slow');
        const reply = await keep(tx, RawReply.json('{"note":"slow"}'));
        begin();
        await committed;
        return reply;
      });
    });
    await kept;
    const second = make(it, 'second');
    await eventually('the second one at the lock of the row', async () => {
      const { rows } = await owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
    commit();
    expect((await second).body.equals((await first).body)).toBe(true);
    expect(await effects()).toEqual(['slow']);
  });

  it('is taken over by one of twenty', async () => {
    const it = request();
    await keys.once(it, (keep) => db.database.transaction((tx) => keep(tx, RawReply.json('{}'))));
    await db.database.query('update idempotency_keys set status = null, headers = null, body = null where key = $1', [
      it.idempotency.key,
    ]);
    await expire(it);
    await Promise.allSettled(Array.from({ length: 20 }, (_, index) => make(it, `number ${index}`)));
    expect(await effects()).toHaveLength(1);
  });

  it('is not taken over by another request', async () => {
    const it = request();
    const slow = slowly('slow');
    const first = keys.once(it, slow.write);
    await slow.begun;
    await expire(it);
    expect(await failure(make(withOtherBody(it), 'other'))).toMatchObject(reused);
    slow.letGo();
    await first;
    expect(await effects()).toEqual(['slow']);
  });
});

describe('a key', () => {
  it('is forgotten after a day, and means another request then', async () => {
    const it = request();
    await make(it, 'one');
    await age(it, 23.9);
    expect((await make(it, 'two')).headers).toMatchObject(replayed);
    await age(it, 24.1);
    const answer = await make(withOtherBody(it), 'three');
    expect(answer.headers).toEqual({ etag: '"three"' });
    expect((await make(withOtherBody(it), 'four')).body.equals(answer.body)).toBe(true);
    expect(await effects()).toEqual(['one', 'three']);
  });

  it('that is too old is deleted, and no other', async () => {
    const [old, young] = [request(), request()];
    await make(old, 'one');
    await make(young, 'two');
    await keys.forgetOld();
    await age(old, 24.1);
    expect(await keys.forgetOld()).toBe(1);
    expect((await make(young, 'three')).headers).toMatchObject(replayed);
  });

  it('that is too old is deleted, however many there are', async () => {
    await keys.forgetOld();
    await db.database.query(
      `insert into idempotency_keys (user_id, operation, key, fingerprint, claim, claimed_until, created_at)
       select 1, 'materials.create', 'old ' || n, repeat('a', 64), gen_random_uuid(), now(), now() - interval '25 hours'
       from generate_series(1, 2500) as n`,
    );
    expect(await keys.forgetOld()).toBe(2_500);
  });
});
