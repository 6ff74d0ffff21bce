import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type Idempotency, problems } from '#contracts';
import { DomainError } from '#kernel';
import { Database, type Tx } from '#persistence';
import { currentCall, problemFrom, RawReply, runShared, type ReplyHeaders } from '#request-queue';

/**
 * Added to the timeout of the caller: a write whose caller has timed out may be about to return its
 * response. Afterwards the claim has expired and an identical request takes it over, for example
 * after a process was killed.
 */
const claimGraceMs = 5_000;
const maxClaimMs = 60_000;
const retryIntervalMs = 500;
/**
 * Maximum number of statements that wait for the database. Further statements are dropped, because
 * their claims expire anyway and more retries would burden a database that has just recovered.
 */
const maxPendingStatements = 1_000;
const claimMs = (): number => Math.min((currentCall()?.remainingMs() ?? Infinity) + claimGraceMs, maxClaimMs);

const retentionHours = 24;
const sweepIntervalMs = 3_600_000;
/**
 * Rows per DELETE. After an outage of the sweep, one statement for the keys of a day would exceed
 * the statement timeout, and so would each hourly retry.
 */
const deleteBatchSize = 1_000;

/**
 * Maximum number of keys of a user in one day and service. Within the rate limits a client exceeds
 * it only by writing at its limit for hours. Evicting the oldest key instead would let a retry run
 * twice.
 */
const maxKeysPerUser = 5_000;
/** Shorter bodies are stored as they are: PostgreSQL stores up to 2 KB in the row. */
const minCompressedBytes = 1_024;

/** A write that a client may retry. Without a key it runs each time. */
interface KeyedWrite {
  readonly viewerId: number;
  /** The message pattern. The same key of another operation is independent. */
  readonly operation: string;
  readonly idempotency: Idempotency | undefined;
}

declare const isStored: unique symbol;

/**
 * A response that `StoreResponse` has stored. The compiler rejects a write that returns any other
 * response.
 */
export type StoredResponse = RawReply & { readonly [isStored]: true };

/**
 * Stores the response in the transaction of the write, so that both are committed or neither is.
 */
export type StoreResponse = (tx: Tx, reply: RawReply) => Promise<StoredResponse>;

interface KeyRow {
  readonly fingerprint: string;
  readonly status: number | null;
  readonly headers: ReplyHeaders;
  readonly body: Buffer;
}

/** A statement that ends a claim, to be retried because the database was unavailable. */
interface PendingStatement {
  readonly run: () => Promise<unknown>;
  /** Latest possible expiry of the claim, compared with `Date.now()`. */
  readonly expiresAt: number;
}

/** Counts up to the maximum. Reads 3 pages for a user with ten keys and 146 for one with 4,999. */
const keysOfUser = `(select count(*) from (select from idempotency_keys where user_id = $1 limit ${maxKeysPerUser}) own)`;

const claimKey = `
  insert into idempotency_keys as existing (user_id, operation, key, fingerprint, claim, claimed_until)
  select $1::bigint, $2, $3, $4, $5::uuid, now() + $6::float8 * interval '1 millisecond'
  where ${keysOfUser} < ${maxKeysPerUser}
    or exists (select from idempotency_keys where user_id = $1 and operation = $2 and key = $3)
  on conflict (user_id, operation, key) do update
    set fingerprint = excluded.fingerprint, claim = excluded.claim, claimed_until = excluded.claimed_until,
      status = null, headers = null, body = null, created_at = now()
    where existing.created_at < now() - interval '${retentionHours} hours'
      or (existing.status is null and existing.claimed_until < now() and existing.fingerprint = excluded.fingerprint)
  returning claim`;

const storeResponse = `
  update idempotency_keys set status = $5, headers = $6, body = $7
  where user_id = $1 and operation = $2 and key = $3 and claim = $4 and status is null
  returning claim`;

const deleteKey = `
  delete from idempotency_keys
  where user_id = $1 and operation = $2 and key = $3 and claim = $4 and status is null`;

const deleteExpired = `
  with expired as (
    delete from idempotency_keys where (user_id, operation, key) in (
      select user_id, operation, key from idempotency_keys where created_at < now() - interval '${retentionHours} hours'
      order by created_at limit ${deleteBatchSize} for update skip locked
    ) returning 1
  )
  select count(*) as count from expired`;

/**
 * Responses stored under the `Idempotency-Key` of their request. The first response is stored for
 * 24 hours and replayed when the client repeats the request.
 */
@Injectable()
export class IdempotencyKeys implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private readonly pending = new Set<PendingStatement>();

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    // After a failure the next sweep retries: expired keys that still exist are ignored
    this.timer = setInterval(() => void this.deleteExpired().catch(() => undefined), sweepIntervalMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Runs a write unless a response is stored under its key. Rejections (4xx) are stored, too. After
   * a failure (5xx) the client may retry the request.
   *
   * @param write runs the write and passes its response to `store` inside its transaction
   * @throws DomainError `idempotency-key.reused`, `.in-progress`, `.too-many`, a stored rejection,
   *   the errors of `Database.query`, or those of `write`
   */
  async once(
    { viewerId, operation, idempotency }: KeyedWrite,
    write: (store: StoreResponse) => Promise<StoredResponse>,
  ): Promise<RawReply> {
    if (!idempotency) return write((_, reply) => Promise.resolve(reply as StoredResponse));
    const keyColumns = [viewerId, operation, idempotency.key] as const;
    const claim = randomUUID();
    const claimColumns = [...keyColumns, claim] as const;
    const stored = await this.claim(keyColumns, idempotency.fingerprint, claim).catch(async (error: unknown) => {
      // The claim may have been committed; after any other error it was not
      if (isUnknownOutcome(error)) await this.endClaim(claimColumns, error);
      throw error;
    });
    if (stored) return replay(stored);
    try {
      return await write((tx, reply) => storeIn(tx, claimColumns, reply));
    } catch (error) {
      await this.endClaim(claimColumns, error);
      throw error;
    }
  }

  /** Deletes keys older than 24 hours, oldest first. @returns the number of deleted keys */
  async deleteExpired(): Promise<number> {
    for (let deleted = 0; ;) {
      const [batch] = await this.database.query<{ count: number }>(deleteExpired);
      deleted += batch!.count;
      if (batch!.count < deleteBatchSize) return deleted;
    }
  }

  /**
   * Claims the key. @returns the stored response; undefined when the caller has claimed the key and
   * runs the write
   */
  private async claim(keyColumns: readonly unknown[], fingerprint: string, claim: string): Promise<KeyRow | undefined> {
    // Between the two statements, the request that had the key may delete it: the claim is retried
    for (;;) {
      const claimed = await this.database.query(claimKey, [...keyColumns, fingerprint, claim, claimMs()]);
      if (claimed.length > 0) return undefined;
      const [row] = await this.database.query<KeyRow>(
        `select fingerprint, status, headers, body from idempotency_keys
         where user_id = $1 and operation = $2 and key = $3`,
        keyColumns,
      );
      if (!row) {
        await this.rejectBeyondMaximum(keyColumns[0]);
        continue;
      }
      if (row.fingerprint !== fingerprint) throw reused();
      if (row.status === null) throw inProgress();
      return row;
    }
  }

  /** Throws for a user at the maximum. Concurrent requests may exceed it by a few keys. */
  private async rejectBeyondMaximum(userId: unknown): Promise<void> {
    const [own] = await this.database.query<{ count: number }>(`select ${keysOfUser} as count`, [userId]);
    if (own!.count >= maxKeysPerUser) throw tooMany();
  }

  /**
   * Ends the claim of a failed write: stores a rejection, and deletes the key after any other
   * error. Retries while the database is unavailable, because a repeated request is rejected as in
   * progress until the claim has ended.
   */
  private async endClaim(claimColumns: readonly unknown[], error: unknown): Promise<void> {
    if (isKeyRejection(error)) return;
    const [sql, parameters] = isRejection(error)
      ? [storeResponse, parametersOf(claimColumns, rejectionReply(error))]
      : [deleteKey, claimColumns];
    // Outside the call of the request, whose deadline may have passed: the query would be rejected
    const run = (): Promise<unknown> => runShared(() => this.database.query(sql, parameters));
    await run().catch(() => this.retryLater({ run, expiresAt: Date.now() + maxClaimMs }));
  }

  /** Schedules retries until the claim has expired. */
  private retryLater(statement: PendingStatement): void {
    if (this.pending.size >= maxPendingStatements) return;
    this.pending.add(statement);
    if (this.pending.size === 1) void this.retryPending();
  }

  /**
   * Runs the pending statements one by one. After a failure it waits and starts with the first one
   * again.
   */
  private async retryPending(): Promise<void> {
    while (this.pending.size > 0) {
      await sleep(retryIntervalMs, undefined, { ref: false });
      for (const statement of this.pending) {
        const isDone = statement.expiresAt < Date.now() || (await succeeds(statement.run()));
        if (!isDone) break;
        this.pending.delete(statement);
      }
    }
  }
}

const isRejection = (error: unknown): error is DomainError => error instanceof DomainError && error.status < 500;

/** True when another request has taken over the key, so that its row must not change. */
const isKeyRejection = (error: unknown): boolean =>
  isRejection(error) && error.kind.code.startsWith('idempotency-key.');

const isUnknownOutcome = (error: unknown): boolean =>
  error instanceof DomainError && error.kind === problems['service.no-answer'];

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

async function storeIn(tx: Tx, claimColumns: readonly unknown[], reply: RawReply): Promise<StoredResponse> {
  // For an UPDATE, TypeORM returns its rows and their number
  const [rows] = await tx.query<[unknown[], number]>(storeResponse, parametersOf(claimColumns, reply));
  // Another request has taken over the expired claim, so this transaction must roll back
  if (rows.length === 0) throw inProgress();
  return reply as StoredResponse;
}

/**
 * Returns the parameters of `storeResponse`. Compresses longer bodies: gzip level 1 takes 0.15 ms
 * for a response of 230 KB and makes it 60 times smaller, because products resemble each other. The
 * `content-encoding` header marks the compressed body, so that a version without decompression
 * replays this body to clients, which decompress it. Problems are stored uncompressed, because
 * every version parses them.
 */
function parametersOf(claimColumns: readonly unknown[], { status, headers, body }: RawReply): unknown[] {
  const stored =
    body.length < minCompressedBytes || status >= 400
      ? { headers, body }
      : { headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body, { level: 1 }) };
  return [...claimColumns, status, JSON.stringify(stored.headers), stored.body];
}

const rejectionReply = (error: DomainError): RawReply =>
  RawReply.json(JSON.stringify(error.body()), { status: error.status, headers: error.headers });

const replayHeader = { 'idempotency-replayed': 'true' };

/** Returns the stored response. @throws DomainError when it is a rejection */
function replay({ status, headers: { 'content-encoding': coding, ...headers }, body: stored }: KeyRow): RawReply {
  const body = coding === 'gzip' ? gunzipSync(stored) : stored;
  const all = { ...headers, ...replayHeader };
  if (status! < 400) return RawReply.json(body, { status: status!, headers: all });
  const { kind, detail, errors } = problemFrom({ status: status!, headers, body, isProblem: true });
  throw new DomainError(kind, detail, errors, all);
}

const reused = () =>
  new DomainError(problems['idempotency-key.reused'], 'This Idempotency-Key was already used for a different request.');

const tooMany = () =>
  new DomainError(
    problems['idempotency-key.too-many'],
    `A user may send at most ${maxKeysPerUser} keys in ${retentionHours} hours. Without a key the request is accepted.`,
  );

const inProgress = () =>
  new DomainError(
    problems['idempotency-key.in-progress'],
    'The first request with this Idempotency-Key is still running.',
    undefined,
    { 'retry-after': '1' },
  );
