import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { MigrationFailure } from './migration-failure.js';

/**
 * Every reader and writer of a table queues behind a statement that waits for a lock on it. A statement that waits longer
 * is cancelled, so that they pass, and tried again.
 */
const lockTimeoutMs = 1_000;

/** Pause before the next attempt: time for the requests that queued. Random, so that it meets a gap between long readers. */
const pauseMs = (): number => 500 + Math.random() * 1_000;

/** lock_not_available and deadlock_detected: the statement, or the transaction that it was part of, changed nothing. */
const isRetryable = (error: unknown): boolean => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');

/**
 * Statements that wait for older transactions and do not block readers and writers: their shared lock
 * conflicts with other changes of the table only. Cancelled, they would begin anew and leave an invalid index.
 */
const waitsWithoutBlocking = /^\s*(?:create\s+(?:unique\s+)?index|drop\s+index|reindex\s+\w+)\s+concurrently\b/i;

/** Sessions that `pid` waits for, with what identifies them for an operator. */
const blockersOf = `select pid, coalesce(nullif(application_name, ''), backend_type) as name,
    extract(epoch from clock_timestamp() - xact_start)::int as seconds
  from pg_stat_activity where pid = any(pg_blocking_pids($1)) order by xact_start`;

interface Blocker {
  readonly pid: number;
  readonly name: string;
  readonly seconds: number;
}

interface LockRetryOptions {
  /** Another session of the same database: asks what the migration waits for. */
  readonly observer: Client;
  /** How long all waiting may take together. */
  readonly giveUpAfterMs: number;
  /** Logs a line for each session that is newly waited for. */
  readonly log: (line: string) => void;
}

/** Retries of what was cancelled while it waited for a lock, up to a deadline, and the sessions that were in the way. */
export class LockRetry {
  private readonly giveUpAt: number;
  private readonly reported = new Set<number>();
  private blockers: readonly string[] = [];

  constructor(private readonly options: LockRetryOptions) {
    this.giveUpAt = performance.now() + options.giveUpAfterMs;
  }

  /**
   * Runs `work` until it is not cancelled for a lock.
   *
   * @throws MigrationFailure at the deadline, naming the statement and the sessions in the way
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (this.remainingMs() === 0) throw this.failure(error as { query?: string });
        await sleep(Math.min(pauseMs(), this.remainingMs()));
      }
    }
  }

  /**
   * Makes `runner` wait for locks in turns. Outside of a transaction a statement is retried by itself; inside of one the
   * error reaches the caller, which retries the transaction.
   */
  async attach(runner: QueryRunner): Promise<void> {
    const query = runner.query.bind(runner) as (sql: string, ...more: unknown[]) => Promise<unknown>;
    const setTimeoutTo = (ms: number): Promise<unknown> => query(`set lock_timeout = ${Math.max(1, Math.round(ms))}`);
    await setTimeoutTo(lockTimeoutMs);
    const waitToTheEnd: typeof query = async (sql, ...more) => {
      await setTimeoutTo(this.remainingMs());
      try {
        return await query(sql, ...more);
      } finally {
        await setTimeoutTo(lockTimeoutMs);
      }
    };
    const patched: typeof query = (sql, ...more) => {
      if (runner.isTransactionActive) return query(sql, ...more);
      return this.run(() => (waitsWithoutBlocking.test(sql) ? waitToTheEnd : query)(sql, ...more));
    };
    runner.query = patched as typeof runner.query;
  }

  /** Logs the sessions that `pid` waits for while `work` runs. */
  async watch<T>(pid: number, work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const watching = this.look(pid, ended.signal);
    try {
      return await work();
    } finally {
      ended.abort();
      await watching;
    }
  }

  private async look(pid: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const rows = await this.options.observer.query<Blocker>(blockersOf, [pid]).then(
        (result) => result.rows,
        // What cannot be looked at is no reason to stop the migration
        () => [],
      );
      const lines = rows.map((it) => `session ${it.pid} (${it.name}, in a transaction for ${it.seconds} s)`);
      if (lines.length > 0) this.blockers = lines;
      for (const [n, row] of rows.entries()) {
        if (this.reported.has(row.pid)) continue;
        this.reported.add(row.pid);
        this.options.log(`waits for ${lines[n]!}`);
      }
      // Rejected by the abort, which the loop checks
      await sleep(lockTimeoutMs / 4, undefined, { signal }).catch(() => undefined);
    }
  }

  private remainingMs(): number {
    return Math.max(0, this.giveUpAt - performance.now());
  }

  private failure({ query = '' }: { readonly query?: string }): MigrationFailure {
    const statement = query.replace(/\s+/g, ' ').trim().slice(0, 120);
    return new MigrationFailure(
      `No lock within ${Math.round(this.options.giveUpAfterMs / 1000)} s for: ${statement}. In the way: ` +
        `${this.blockers.join(', ') || 'unknown'}. End that session, or run migrate again later: it goes on from here.`,
    );
  }
}
