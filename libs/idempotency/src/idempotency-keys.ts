import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type Idempotency, problems } from '#contracts';
import { DomainError } from '#kernel';
import { Database, type Tx } from '#persistence';
import { currentCall, problemFrom, RawReply, runShared, type ReplyHeaders } from '#request-queue';

/**
 * A write belongs to whoever runs it until its caller has stopped waiting, and a moment longer: it may be about to
 * answer. Whoever comes later takes over what never ended, as when a process was killed.
 */
const graceMs = 5_000;
const longestClaimMs = 60_000;
const settleAgainMs = 500;
/** What cannot be settled ends with its claim; more than this would be a burden when the database is back. */
const mostUnsettled = 1_000;
const claimMs = (): number => Math.min((currentCall()?.remainingMs() ?? Infinity) + graceMs, longestClaimMs);

const keptHours = 24;
const sweepMs = 3_600_000;
/** Keys that are forgotten at once. A day's worth in one statement would be over its time limit, each hour anew. */
const forgottenAtOnce = 1_000;

/**
 * A user's keys of a day in one service. The rate limits allow more only to a client that writes at its limit for hours;
 * evicting the oldest instead would have a retry run twice.
 */
const maxKeysPerUser = 5_000;
/** Shorter bodies are stored as they are: PostgreSQL stores up to 2 KB in the row. */
const minCompressedBytes = 1_024;

/** A write that a client may send again. Without a key it runs each time. */
interface KeyedWrite {
  readonly viewerId: number;
  /** The message, so that a key is of one operation. */
  readonly operation: string;
  readonly idempotency: Idempotency | undefined;
}

declare const isKept: unique symbol;

/** An answer that went through `keep`: the compiler refuses a write that answers anything else. */
export type KeptReply = RawReply & { readonly [isKept]: true };

/** Keeps the answer in the transaction of the write, so that there is never one without the other. */
export type Keep = (tx: Tx, reply: RawReply) => Promise<KeptReply>;

interface Kept {
  readonly fingerprint: string;
  readonly status: number | null;
  readonly headers: ReplyHeaders;
  readonly body: Buffer;
}

/** What the database does not know yet about a write that has ended. */
interface Unsettled {
  readonly settle: () => Promise<unknown>;
  /** When its claim is over, by `Date.now()`. */
  readonly until: number;
}

/** Counts up to the maximum: 3 pages for a user with ten keys, 146 for one with 4,999. */
const keysOfUser = `(select count(*) from (select from idempotency_keys where user_id = $1 limit ${maxKeysPerUser}) own)`;

const claimKey = `
  insert into idempotency_keys as known (user_id, operation, key, fingerprint, claim, claimed_until)
  select $1::bigint, $2, $3, $4, $5::uuid, now() + $6::float8 * interval '1 millisecond'
  where ${keysOfUser} < ${maxKeysPerUser}
    or exists (select from idempotency_keys where user_id = $1 and operation = $2 and key = $3)
  on conflict (user_id, operation, key) do update
    set fingerprint = excluded.fingerprint, claim = excluded.claim, claimed_until = excluded.claimed_until,
      status = null, headers = null, body = null, created_at = now()
    where known.created_at < now() - interval '${keptHours} hours'
      or (known.status is null and known.claimed_until < now() and known.fingerprint = excluded.fingerprint)
  returning claim`;

const keepAnswer = `
  update idempotency_keys set status = $5, headers = $6, body = $7
  where user_id = $1 and operation = $2 and key = $3 and claim = $4 and status is null
  returning claim`;

const freeKey = `
  delete from idempotency_keys
  where user_id = $1 and operation = $2 and key = $3 and claim = $4 and status is null`;

const forgetOldest = `
  with old as (
    delete from idempotency_keys where (user_id, operation, key) in (
      select user_id, operation, key from idempotency_keys where created_at < now() - interval '${keptHours} hours'
      order by created_at limit ${forgottenAtOnce} for update skip locked
    ) returning 1
  )
  select count(*) as count from old`;

/** Answers under their `Idempotency-Key`: the first one is kept for a day and given again to whoever repeats the request. */
@Injectable()
export class IdempotencyKeys implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private readonly unsettled = new Set<Unsettled>();

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    // A failure waits for the next hour: keys that are too old are not believed anyway
    this.timer = setInterval(() => void this.forgetOld().catch(() => undefined), sweepMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Runs a write unless its key has an answer already. A refusal of the business is an answer like any other; after a
   * failure (5xx) the request may be sent again.
   *
   * @param write does it, and hands its answer to `keep` inside its transaction
   * @throws DomainError `idempotency-key.reused`, `.in-progress`, `.too-many`, or what `write` throws
   */
  async once(
    { viewerId, operation, idempotency }: KeyedWrite,
    write: (keep: Keep) => Promise<KeptReply>,
  ): Promise<RawReply> {
    if (!idempotency) return write((_, reply) => Promise.resolve(reply as KeptReply));
    const address = [viewerId, operation, idempotency.key] as const;
    const claim = randomUUID();
    const mine = [...address, claim] as const;
    const kept = await this.claim(address, idempotency.fingerprint, claim).catch(async (error: unknown) => {
      // Perhaps claimed all the same; after any other failure it certainly was not
      if (isUnknownEnd(error)) await this.settle(mine, error);
      throw error;
    });
    if (kept) return replayed(kept);
    try {
      return await write((tx, reply) => keepIn(tx, mine, reply));
    } catch (error) {
      await this.settle(mine, error);
      throw error;
    }
  }

  /** Deletes what is older than a day, the oldest first. @returns how many keys were forgotten */
  async forgetOld(): Promise<number> {
    for (let forgotten = 0; ;) {
      const [batch] = await this.database.query<{ count: number }>(forgetOldest);
      forgotten += batch!.count;
      if (batch!.count < forgottenAtOnce) return forgotten;
    }
  }

  /** @returns the answer that is there already; undefined when the write is the caller's to do */
  private async claim(address: readonly unknown[], fingerprint: string, claim: string): Promise<Kept | undefined> {
    // Whoever runs it may give the key back between the two statements
    for (;;) {
      const claimed = await this.database.query(claimKey, [...address, fingerprint, claim, claimMs()]);
      if (claimed.length > 0) return undefined;
      const [kept] = await this.database.query<Kept>(
        `select fingerprint, status, headers, body from idempotency_keys
         where user_id = $1 and operation = $2 and key = $3`,
        address,
      );
      if (!kept) {
        await this.rejectBeyondMaximum(address[0]);
        continue;
      }
      if (kept.fingerprint !== fingerprint) throw reused();
      if (kept.status === null) throw inProgress();
      return kept;
    }
  }

  /** Concurrent requests may pass together, so that a user has a few keys more than the maximum. */
  private async rejectBeyondMaximum(userId: unknown): Promise<void> {
    const [own] = await this.database.query<{ count: number }>(`select ${keysOfUser} as count`, [userId]);
    if (own!.count >= maxKeysPerUser) throw tooMany();
  }

  /**
   * A refusal is kept; after anything else the key is free again. A database that is away is told when it is back: until
   * then whoever repeats the request would hear that it runs.
   */
  private async settle(mine: readonly unknown[], error: unknown): Promise<void> {
    if (isOfSomebodyElse(error)) return;
    const [sql, parameters] = isRefusal(error)
      ? [keepAnswer, parametersOf(mine, refusalReply(error))]
      : [freeKey, mine];
    // The call of the request may be over, and nothing is done for it any more
    const settle = (): Promise<unknown> => runShared(() => this.database.query(sql, parameters));
    await settle().catch(() => this.settleLater({ settle, until: Date.now() + longestClaimMs }));
  }

  /** Tries for as long as a claim lasts, which ends by itself then. */
  private settleLater(one: Unsettled): void {
    if (this.unsettled.size >= mostUnsettled) return;
    this.unsettled.add(one);
    if (this.unsettled.size === 1) void this.settleAll();
  }

  /** One after the other, and from the first one again when the database is still away. */
  private async settleAll(): Promise<void> {
    while (this.unsettled.size > 0) {
      await sleep(settleAgainMs, undefined, { ref: false });
      for (const one of this.unsettled) {
        const isSettled = one.until < Date.now() || (await succeeds(one.settle()));
        if (!isSettled) break;
        this.unsettled.delete(one);
      }
    }
  }
}

const isRefusal = (error: unknown): error is DomainError => error instanceof DomainError && error.status < 500;

const isOfSomebodyElse = (error: unknown): boolean =>
  isRefusal(error) && error.kind.code.startsWith('idempotency-key.');

const isUnknownEnd = (error: unknown): boolean =>
  error instanceof DomainError && error.kind === problems['service.no-answer'];

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

async function keepIn(tx: Tx, mine: readonly unknown[], reply: RawReply): Promise<KeptReply> {
  // TypeORM answers an UPDATE with its rows and their number
  const [rows] = await tx.query<[unknown[], number]>(keepAnswer, parametersOf(mine, reply));
  // Somebody else has taken over, so that this write must not happen too
  if (rows.length === 0) throw inProgress();
  return reply as KeptReply;
}

/**
 * Level 1 takes 0.15 ms for a response of 230 KB, and makes it 60 times smaller: products repeat each other. The header
 * marks it, so that a version that does not unpack replays it to clients that do. Problems are read by every version.
 */
function parametersOf(mine: readonly unknown[], { status, headers, body }: RawReply): unknown[] {
  const stored =
    body.length < minCompressedBytes || status >= 400
      ? { headers, body }
      : { headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body, { level: 1 }) };
  return [...mine, status, JSON.stringify(stored.headers), stored.body];
}

const refusalReply = (error: DomainError): RawReply =>
  RawReply.json(JSON.stringify(error.body()), { status: error.status, headers: error.headers });

const replayHeader = { 'idempotency-replayed': 'true' };

/** @throws DomainError when the answer was a refusal */
function replayed({ status, headers: { 'content-encoding': coding, ...headers }, body: stored }: Kept): RawReply {
  const body = coding === 'gzip' ? gunzipSync(stored) : stored;
  const all = { ...headers, ...replayHeader };
  if (status! < 400) return RawReply.json(body, { status: status!, headers: all });
  const { kind, detail, errors } = problemFrom({ status: status!, headers, body, isProblem: true });
  throw new DomainError(kind, detail, errors, all);
}

const reused = () =>
  new DomainError(problems['idempotency-key.reused'], 'This Idempotency-Key was sent with another request.');

const tooMany = () =>
  new DomainError(
    problems['idempotency-key.too-many'],
    `A user may send ${maxKeysPerUser} keys in ${keptHours} hours. Without a key the request is accepted.`,
  );

const inProgress = () =>
  new DomainError(
    problems['idempotency-key.in-progress'],
    'The first request with this Idempotency-Key is still running.',
    undefined,
    { 'retry-after': '1' },
  );
