import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { MigrationFailure } from './migration-failure.js';

/**
 * Maximum wait of a statement for a lock, because every reader and writer of the table queues
 * behind the waiting statement. Then the statement is cancelled, so that the queued ones run, and
 * retried.
 */
const lockTimeoutMs = 1_000;

/**
 * Backoff before the next attempt, during which the queued requests run. Random, so that some
 * attempt falls between long reads.
 */
const backoffMs = (): number => 500 + Math.random() * 1_000;

/** lock_not_available and deadlock_detected: the statement, or its transaction, changed nothing. */
const isRetryable = (error: unknown): boolean => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');

/**
 * Statements that wait for older transactions without blocking readers and writers: their lock
 * (SHARE UPDATE EXCLUSIVE) conflicts only with changes of the definition of the table and with
 * VACUUM. A cancelled statement would leave an invalid index and start from the beginning.
 */
const waitsWithoutBlocking = /^\s*(?:create\s+(?:unique\s+)?index|drop\s+index|reindex\s+\w+)\s+concurrently\b/i;

/** Selects the sessions that `pid` waits for, with the names that an operator recognizes. */
const blockersOf = `select pid, coalesce(nullif(application_name, ''), backend_type) as name,
    extract(epoch from clock_timestamp() - xact_start)::int as seconds
  from pg_stat_activity where pid = any(pg_blocking_pids($1)) order by xact_start`;

interface Blocker {
  readonly pid: number;
  readonly name: string;
  readonly seconds: number;
}

interface LockRetryOptions {
  /** Another session of the same database, which queries the blocking sessions. */
  readonly observer: Client;
  /** Maximum of all waits together. */
  readonly timeoutMs: number;
  /** Logs a line for each new blocking session. */
  readonly log: (line: string) => void;
}

/**
 * Retries statements that were cancelled while they waited for a lock or in a deadlock, up to a
 * deadline.
 */
export class LockRetry {
  private readonly deadline: number;
  private readonly reported = new Set<number>();
  private blockers: readonly string[] = [];

  constructor(private readonly options: LockRetryOptions) {
    this.deadline = performance.now() + options.timeoutMs;
  }

  /**
   * Runs `work`, again after each cancelled wait for a lock and each deadlock.
   *
   * @throws MigrationFailure at the deadline, with the statement and the blocking sessions; other
   *   errors of `work`
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (this.remainingMs() === 0) throw this.failure(error as { query?: string });
        await sleep(Math.min(backoffMs(), this.remainingMs()));
      }
    }
  }

  /**
   * Limits the waits of `runner` for locks. Outside of a transaction each statement is retried; in
   * a transaction the error is passed to the caller, which retries the transaction.
   */
  async attach(runner: QueryRunner): Promise<void> {
    const query = runner.query.bind(runner) as (sql: string, ...more: unknown[]) => Promise<unknown>;
    const setTimeoutTo = (ms: number): Promise<unknown> => query(`set lock_timeout = ${Math.max(1, Math.round(ms))}`);
    await setTimeoutTo(lockTimeoutMs);
    const waitUntilDeadline: typeof query = async (sql, ...more) => {
      await setTimeoutTo(this.remainingMs());
      try {
        return await query(sql, ...more);
      } finally {
        await setTimeoutTo(lockTimeoutMs);
      }
    };
    const patched: typeof query = (sql, ...more) => {
      if (runner.isTransactionActive) return query(sql, ...more);
      return this.run(() => (waitsWithoutBlocking.test(sql) ? waitUntilDeadline : query)(sql, ...more));
    };
    runner.query = patched as typeof runner.query;
  }

  /** Logs the sessions that block `pid` while `work` runs. */
  async watch<T>(pid: number, work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const watching = this.logBlockers(pid, ended.signal);
    try {
      return await work();
    } finally {
      ended.abort();
      await watching;
    }
  }

  private async logBlockers(pid: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const rows = await this.options.observer.query<Blocker>(blockersOf, [pid]).then(
        (result) => result.rows,
        // A failed query does not stop the migration
        () => [],
      );
      const lines = rows.map((it) => `session ${it.pid} (${it.name}, in a transaction for ${it.seconds} s)`);
      if (lines.length > 0) this.blockers = lines;
      for (const [n, row] of rows.entries()) {
        if (this.reported.has(row.pid)) continue;
        this.reported.add(row.pid);
        this.options.log(`waiting for ${lines[n]!}`);
      }
      // The abort rejects the sleep; the loop checks the signal
      await sleep(lockTimeoutMs / 4, undefined, { signal }).catch(() => undefined);
    }
  }

  private remainingMs(): number {
    return Math.max(0, this.deadline - performance.now());
  }

  private failure({ query = '' }: { readonly query?: string }): MigrationFailure {
    const statement = query.replace(/\s+/g, ' ').trim().slice(0, 120);
    return new MigrationFailure(
      `No lock within ${Math.round(this.options.timeoutMs / 1000)} s for: ${statement}. Blocked by: ` +
        `${this.blockers.join(', ') || 'unknown'}. End that session, or run migrate again later: it continues here.`,
    );
  }
}
