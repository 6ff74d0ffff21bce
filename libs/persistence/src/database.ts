import pg from 'pg';
import {
  DataSource,
  type EntityManager,
  type EntitySchema,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { problems, type ServiceName } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';
import { cancelAfter } from './cancel.js';
import { poolOf } from './pool-metrics.js';
import { schemaOf } from './schemas.js';
import { WatchdogClient } from './watchdog-client.js';

// Ids and counters stay far below 2^53, so numbers represent them exactly, also in JSON
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Open transaction, through which repositories and the outbox write. */
export type Tx = EntityManager;

/**
 * Result of a callback that must be synchronous, because it runs in an open transaction. A promise
 * does not compile: the transaction would stay open while the callback waits, for example for
 * another service.
 */
export type Sync<R> = R extends PromiseLike<unknown> ? never : R;

/** Executes one statement, by itself or in an open transaction. */
export type Run = <Row extends object>(sql: string, parameters: readonly unknown[]) => Promise<Row[]>;

export interface DataSourceOptionsOf {
  readonly service: ServiceName;
  readonly url: string;
  readonly poolSize: number;
  readonly entities: readonly (EntitySchema | (new () => object))[];
}

/**
 * Time limits of every session, in milliseconds, so that no request occupies a connection for long.
 */
const sessionLimits = { statement_timeout: 10_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 10_000 };

/** Returns the data source of a service, not yet connected, with the service's schema only. */
export function serviceDataSource({ service, url, poolSize, entities }: DataSourceOptionsOf): DataSource {
  const schema = schemaOf(service);
  const settings = { search_path: schema, ...sessionLimits };
  return new DataSource({
    type: 'postgres',
    // Without `driver`, TypeORM loads another copy of pg from node_modules
    driver: pg,
    url,
    schema,
    entities: [...entities],
    synchronize: false,
    applicationName: `storefront-${service}`,
    extra: {
      Client: WatchdogClient,
      max: poolSize,
      connectionTimeoutMillis: 5_000,
      // The client enforces `query_timeout`. The server enforces the limits in `options`, but its
      // error does not arrive on a dead connection
      query_timeout: sessionLimits.statement_timeout + 2_000,
      keepAlive: true,
      maxLifetimeSeconds: 3_600,
      options: Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    },
  });
}

// serialization_failure and deadlock_detected: the same transaction may succeed when it is retried
const retryableStates = new Set(['40001', '40P01']);
const maxAttempts = 3;

const sqlState = (error: unknown): string | undefined => {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof Error ? (cause as { code?: string }).code : undefined;
};

/** Returns the name of the constraint that a write violated, or undefined for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!sqlState(error)?.startsWith('23')) return undefined;
  return ((error as QueryFailedError).driverError as { constraint?: string }).constraint;
}

// Classes of SQLSTATE: connection exception (08), invalid authorization such as a locked role (28),
// insufficient resources such as a full disk or too many connections (53), operator intervention
// such as a shutdown (57P), system error (58). Then a missing database, a read-only server (a
// standby after a failover), and a session that was ended while idle in a transaction, because its
// process had been stopped. Then error codes of the socket
const unreachableStates = /^(?:08...|28...|53...|57P..|58...|3D000|25006|25P03)$/;
const unreachableCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
]);
// Messages of pg errors without a code
const unreachableMessages =
  /connection terminated|connection timeout|connection error|not queryable|query read timeout|timeout exceeded/i;

// The connection was lost between two statements of a transaction
const releasedErrors = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

function isUnreachable(error: unknown): boolean {
  if (releasedErrors.some((type) => error instanceof type)) return true;
  const driverError: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const { code, message } = (driverError ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return unreachableStates.test(code) || unreachableCodes.has(code);
  return typeof message === 'string' && unreachableMessages.test(message);
}

// States of `unreachableStates` with which the server rejects a statement or its session, so that
// the transaction is rolled back: all but a lost connection and a shutdown
const rolledBackStates = /^(?:28...|53...|57P03|58...|3D000|25006|25P03)$/;

/**
 * Returns true when the database may have executed the statement: the connection was lost or the
 * server shut down after the statement was sent.
 */
const mayHaveExecuted = (error: unknown): boolean =>
  error instanceof QueryFailedError &&
  isUnreachable(error) &&
  !rolledBackStates.test(sqlState(error) ?? '') &&
  !/not queryable/i.test(error.message);

// lock_not_available and query_canceled: the errors of `sessionLimits` and of `cancelAfter`
const timeoutStates = new Set(['55P03', '57014']);

/**
 * Returns true when the database rather than the statement caused an error: it is not reachable,
 * the time limit of a lock or statement was over, or all attempts of a transaction conflicted with
 * others. Returns false for the `DomainError`s of this file: callers recognize them by their codes.
 */
export function isDatabaseOutage(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return isUnreachable(error) || timeoutStates.has(state) || retryableStates.has(state);
}

const retryLater = (code: 'service.unavailable' | 'service.overloaded', detail: string): DomainError =>
  new DomainError(problems[code], detail, undefined, { 'retry-after': '1' });

/** Converts errors of an unreachable or overloaded database to 503 with `Retry-After`. */
function toDomainError(error: unknown): unknown {
  if (isUnreachable(error)) return retryLater('service.unavailable', 'The database is not reachable.');
  if (timeoutStates.has(sqlState(error) ?? '')) return retryLater('service.overloaded', 'The database took too long.');
  return error;
}

/**
 * Converts errors of a write as `toDomainError`, but to 504 when the write may have been executed,
 * because 503 means not executed.
 */
const toDomainErrorOfWrite = (error: unknown): unknown =>
  mayHaveExecuted(error)
    ? new DomainError(problems['service.no-answer'], 'The database connection was lost before the write was confirmed.')
    : toDomainError(error);

/** Rejects statements after the deadline of the request, so that they occupy no connection. */
function rejectAfterDeadline(): void {
  if ((currentCall()?.remainingMs() ?? Infinity) > 0) return;
  throw new DomainError(problems['service.no-answer'], 'The deadline passed before the database was queried.');
}

// "cached plan must not change result type" and an unknown prepared statement. The connection is
// closed, so that the next one prepares the statement again
const stalePlanStates = new Set(['0A000', '26000']);

const isRead = (sql: string): boolean => /^\s*select\b/i.test(sql);

/** Number of prepared statements at which `read` prepares no more: each connection stores plans. */
const maxPreparedStatements = 200;
/** Maximum of texts that were executed once and are not prepared yet. */
const maxTextsSeenOnce = 500;

/** Connection pool of a service's database. */
export class Database {
  /** Names of prepared statements by text. */
  private readonly names = new Map<string, string>();
  private readonly seenOnce = new Set<string>();
  private readonly commitListeners = new Set<(statement?: string) => void>();

  constructor(readonly source: DataSource) {}

  /**
   * Adds a listener, which is called after each confirmed commit of `transaction`, and of `write`
   * with its statement.
   */
  onCommit(listener: (statement?: string) => void): void {
    this.commitListeners.add(listener);
  }

  /**
   * Executes one statement. Returns bigint as number, timestamptz as Date, json as values.
   *
   * @throws DomainError `service.unavailable` when the database is not reachable,
   *   `service.overloaded` after a time limit, `service.no-answer` when the connection was lost
   *   while the statement may have written, or when the caller's deadline has passed
   * @throws QueryFailedError for an error of the statement, such as a violated constraint
   */
  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    rejectAfterDeadline();
    try {
      return await this.source.query<Row[]>(sql, [...parameters]);
    } catch (error) {
      throw isRead(sql) ? toDomainError(error) : toDomainErrorOfWrite(error);
    }
  }

  /**
   * Executes one read-only statement. From its second use it is prepared, once per connection,
   * while fewer than 200 texts are prepared: planning costs more than most statements. Write values
   * that decide the plan, limits above all, into the text.
   *
   * @param timeoutMs time after which the statement is cancelled, for statements that some requests
   *   make slow
   * @throws as `query`, except for `service.no-answer` of a lost write
   */
  async read<Row extends object>(sql: string, parameters: readonly unknown[] = [], timeoutMs?: number): Promise<Row[]> {
    rejectAfterDeadline();
    this.prepareIfRepeated(sql);
    try {
      return await this.run<Row>(sql, parameters, timeoutMs);
    } catch (error) {
      throw toDomainError(error);
    }
  }

  /**
   * Executes one prepared statement that writes, as a transaction of one round trip. Retries after
   * a deadlock or a serialization failure. Every text is prepared at its first use, so use a fixed
   * set of texts.
   *
   * @throws as `query`
   */
  async write<Row extends object>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    this.prepare(sql);
    for (let attempt = 1; ; attempt += 1) {
      rejectAfterDeadline();
      let rows: Row[];
      try {
        rows = await this.run<Row>(sql, parameters);
      } catch (error) {
        if (attempt < maxAttempts && retryableStates.has(sqlState(error) ?? '')) continue;
        throw toDomainErrorOfWrite(error);
      }
      this.notifyCommitListeners(sql);
      return rows;
    }
  }

  private notifyCommitListeners(statement?: string): void {
    for (const listener of this.commitListeners) listener(statement);
  }

  /**
   * Prepares a statement at its second use. The pages with large offsets have many texts, each used
   * once.
   */
  private prepareIfRepeated(sql: string): void {
    if (this.names.has(sql) || this.names.size >= maxPreparedStatements) return;
    if (this.seenOnce.delete(sql)) {
      this.prepare(sql);
      return;
    }
    if (this.seenOnce.size >= maxTextsSeenOnce) this.seenOnce.clear();
    this.seenOnce.add(sql);
  }

  private prepare(sql: string): void {
    if (!this.names.has(sql)) this.names.set(sql, `statement-${this.names.size}`);
  }

  /**
   * Executes a statement on a connection of the pool. `query` of the pool would close the
   * connection after every error, and its callback is not watched by `WatchdogClient`.
   *
   * @throws QueryFailedError with a connection; without one, the error of pg
   */
  private async run<Row extends object>(
    sql: string,
    parameters: readonly unknown[],
    timeoutMs = Infinity,
  ): Promise<Row[]> {
    const pool = poolOf(this.source);
    const client = await pool.connect();
    const cancellation = cancelAfter(timeoutMs, client, pool.options);
    let isLost = false;
    try {
      const values = [...parameters];
      const name = this.names.get(sql);
      const { rows } = await client.query<Row>(
        name === undefined ? { text: sql, values } : { name, text: sql, values },
      );
      return rows;
    } catch (error) {
      isLost = isUnreachable(error) || stalePlanStates.has((error as { code?: string }).code ?? '');
      throw new QueryFailedError(sql, [...parameters], error as Error);
    } finally {
      const isTimedOut = cancellation.stop();
      client.release(isLost || isTimedOut);
    }
  }

  /**
   * Runs `work` in a transaction, which is rolled back when `work` throws. Retries after a deadlock
   * or a serialization failure.
   *
   * @throws DomainError as `query`; `service.no-answer` only when the connection was lost during
   *   the COMMIT, or when the caller's deadline passed before BEGIN
   * @throws the other errors of `work` and of the COMMIT
   */
  async transaction<R>(work: (tx: Tx) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      rejectAfterDeadline();
      const phase = { isCommitting: false };
      let result: R;
      try {
        result = await this.source.transaction(async (tx) => {
          const value = await work(tx);
          phase.isCommitting = true;
          return value;
        });
      } catch (error) {
        if (attempt < maxAttempts && retryableStates.has(sqlState(error) ?? '')) continue;
        throw phase.isCommitting ? toDomainErrorOfWrite(error) : toDomainError(error);
      }
      this.notifyCommitListeners();
      return result;
    }
  }
}
