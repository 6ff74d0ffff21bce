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
import { AttendedClient } from './attended-client.js';
import { cancelAfter } from './cancel.js';
import { poolOf } from './pool-metrics.js';
import { schemaOf } from './schemas.js';

// Ids and counters stay far below 2^53, so that numbers are safe and JSON shows them as numbers
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A transaction in progress: what repositories and the outbox write through. */
export type Tx = EntityManager;

/** No promise may come out of a change: what waits for a network does not belong between BEGIN and COMMIT. */
export type Sync<R> = R extends PromiseLike<unknown> ? never : R;

/** Carries out one statement: by itself, or in a transaction in progress. */
export type Run = <Row extends object>(sql: string, parameters: readonly unknown[]) => Promise<Row[]>;

export interface DataSourceOptionsOf {
  readonly service: ServiceName;
  readonly url: string;
  readonly poolSize: number;
  readonly entities: readonly (EntitySchema | (new () => object))[];
}

/** Time limits of every session, in milliseconds: nothing a client asks for may hold a connection for long. */
const limits = { statement_timeout: 10_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 10_000 };

/** A data source that sees its service's schema only. It is not connected yet. */
export function serviceDataSource({ service, url, poolSize, entities }: DataSourceOptionsOf): DataSource {
  const schema = schemaOf(service);
  const settings = { search_path: schema, ...limits };
  return new DataSource({
    type: 'postgres',
    // By itself TypeORM looks for another copy of it, in node_modules
    driver: pg,
    url,
    schema,
    entities: [...entities],
    synchronize: false,
    applicationName: `storefront-${service}`,
    extra: {
      Client: AttendedClient,
      max: poolSize,
      connectionTimeoutMillis: 5_000,
      // The limits below are the server's, which a silent link never tells us about: this one is ours
      query_timeout: limits.statement_timeout + 2_000,
      keepAlive: true,
      maxLifetimeSeconds: 3_600,
      options: Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    },
  });
}

// serialization_failure and deadlock_detected: PostgreSQL's word that the same transaction may succeed if tried again
const retryable = new Set(['40001', '40P01']);
const attempts = 3;

const sqlState = (error: unknown): string | undefined => {
  const said: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return said instanceof Error ? (said as { code?: string }).code : undefined;
};

/** The name of the constraint that refused a write, or undefined when the error is something else. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!sqlState(error)?.startsWith('23')) return undefined;
  return ((error as QueryFailedError).driverError as { constraint?: string }).constraint;
}

// Classes of SQLSTATE: connection exception (08), invalid authorization such as a role that is locked out (28),
// insufficient resources such as a full disk or too many connections (53), operator intervention such as a shutdown
// (57P), system error (58). Then a missing database, a server that only reads (a standby after a failover), and a session
// that was ended because its process had stood still in a transaction; then error codes of the socket
const unreachableStates = /^(?:08...|28...|53...|57P..|58...|3D000|25006|25P03)$/;
const unreachableCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
]);
// pg says these without a code
const unreachableWords =
  /connection terminated|connection timeout|connection error|not queryable|query read timeout|timeout exceeded/i;

// The connection broke between two statements of a transaction
const brokenBetween = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

function isUnreachable(error: unknown): boolean {
  if (brokenBetween.some((kind) => error instanceof kind)) return true;
  const driverError: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const { code, message } = (driverError ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return unreachableStates.test(code) || unreachableCodes.has(code);
  return typeof message === 'string' && unreachableWords.test(message);
}

/** The database was lost after it may have got the statement: whether it has carried it out cannot be known. */
const mayBeDone = (error: unknown): boolean =>
  error instanceof QueryFailedError && isUnreachable(error) && !/not queryable/i.test(error.message);

// lock_not_available and query_canceled: the time limits above
const tookTooLong = new Set(['55P03', '57014']);

/**
 * Whether the database is the cause of an error rather than the statement: it cannot be reached, a lock or the time limit
 * was not met, or the transaction lost against others at all its attempts. What this file throws as
 * `DomainError` is recognized by its code.
 */
export function isDatabaseOutage(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return isUnreachable(error) || tookTooLong.has(state) || retryable.has(state);
}

const comeAgain = (code: 'service.unavailable' | 'service.overloaded', detail: string): DomainError =>
  new DomainError(problems[code], detail, undefined, { 'retry-after': '1' });

/** A database that is away or too busy is no defect of the request: the caller is told to come again. */
function toldApart(error: unknown): unknown {
  if (isUnreachable(error)) return comeAgain('service.unavailable', 'The database is not reachable.');
  if (tookTooLong.has(sqlState(error) ?? '')) return comeAgain('service.overloaded', 'The database took too long.');
  return error;
}

/** The same for a statement that makes something last: lost on its way it may have done so, and 503 would deny that. */
const toldApartOfWrite = (error: unknown): unknown =>
  mayBeDone(error)
    ? new DomainError(problems['service.no-answer'], 'The database was lost before it confirmed the write.')
    : toldApart(error);

/** A handler that has lost its caller on the way must not go on to take connections from those who wait. */
function refuseLate(): void {
  if ((currentCall()?.remainingMs() ?? Infinity) > 0) return;
  throw new DomainError(problems['service.no-answer'], 'The time was over before the database was asked.');
}

// What a session has prepared fits the tables no longer: another one prepares it anew
const outdated = new Set(['0A000', '26000']);

const onlyReads = (sql: string): boolean => /^\s*select\b/i.test(sql);

/** Each connection keeps a plan for each of them. */
const preparedStatements = 200;
const textsRemembered = 500;

/** The database of a service. */
export class Database {
  private readonly names = new Map<string, string>();
  private readonly seenOnce = new Set<string>();
  private readonly committed = new Set<(statement?: string) => void>();

  constructor(readonly source: DataSource) {}

  /** Has `listener` called after each commit of `transaction`, and of `write` with its statement, when its end is known. */
  onCommit(listener: (statement?: string) => void): void {
    this.committed.add(listener);
  }

  /**
   * One statement. bigint comes back as number, timestamptz as Date, json as values.
   *
   * @throws DomainError `service.unavailable` when the database is not reachable, `service.overloaded` over a time
   *   limit, `service.no-answer` when it was lost while it may have written, or nobody waits any more
   */
  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    refuseLate();
    try {
      return await this.source.query<Row[]>(sql, [...parameters]);
    } catch (error) {
      throw onlyReads(sql) ? toldApart(error) : toldApartOfWrite(error);
    }
  }

  /**
   * One statement that only reads, prepared once for each connection: planning costs more than most of them. Values that
   * decide the plan, limits above all, are to be written into it.
   *
   * @param withinMs for what may take long because of what is asked: it is given up then
   * @throws DomainError as `query`, but for `service.no-answer` of a lost write
   */
  async read<Row extends object>(sql: string, parameters: readonly unknown[] = [], withinMs?: number): Promise<Row[]> {
    refuseLate();
    this.prepareWhenUsual(sql);
    try {
      return await this.run<Row>(sql, parameters, withinMs);
    } catch (error) {
      throw toldApart(error);
    }
  }

  /**
   * One statement that writes, prepared like one that reads and a transaction by itself: one round trip. A deadlock or a
   * serialization failure is tried again. Its text is one of a few.
   *
   * @throws DomainError as `query`
   */
  async write<Row extends object>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    this.prepare(sql);
    for (let attempt = 1; ; attempt += 1) {
      refuseLate();
      let rows: Row[];
      try {
        rows = await this.run<Row>(sql, parameters);
      } catch (error) {
        if (attempt < attempts && retryable.has(sqlState(error) ?? '')) continue;
        throw toldApartOfWrite(error);
      }
      this.tellCommitted(sql);
      return rows;
    }
  }

  private tellCommitted(statement?: string): void {
    for (const listener of this.committed) listener(statement);
  }

  /** A text is usual when it is asked for again soon. The pages far behind are many, and each is asked for once. */
  private prepareWhenUsual(sql: string): void {
    if (this.names.has(sql) || this.names.size >= preparedStatements) return;
    if (this.seenOnce.delete(sql)) {
      this.prepare(sql);
      return;
    }
    if (this.seenOnce.size >= textsRemembered) this.seenOnce.clear();
    this.seenOnce.add(sql);
  }

  private prepare(sql: string): void {
    if (!this.names.has(sql)) this.names.set(sql, `statement-${this.names.size}`);
  }

  /**
   * Not by `query` of the pool: it closes the connection for whatever a statement is refused, and does not attend to it.
   *
   * @throws QueryFailedError when a connection was there
   */
  private async run<Row extends object>(
    sql: string,
    parameters: readonly unknown[],
    withinMs = Infinity,
  ): Promise<Row[]> {
    const pool = poolOf(this.source);
    const client = await pool.connect();
    const limit = cancelAfter(withinMs, client, pool.options);
    let isLost = false;
    try {
      const values = [...parameters];
      const name = this.names.get(sql);
      const { rows } = await client.query<Row>(
        name === undefined ? { text: sql, values } : { name, text: sql, values },
      );
      return rows;
    } catch (error) {
      isLost = isUnreachable(error) || outdated.has((error as { code?: string }).code ?? '');
      throw new QueryFailedError(sql, [...parameters], error as Error);
    } finally {
      const isLate = limit.end();
      client.release(isLost || isLate);
    }
  }

  /**
   * BEGIN, work, COMMIT; or ROLLBACK when work throws. A deadlock or a serialization failure is tried again.
   *
   * @throws DomainError as `query`; `service.no-answer` only when the COMMIT was lost, or before BEGIN when nobody waits any more
   */
  async transaction<R>(work: (tx: Tx) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      refuseLate();
      const phase = { isCommitting: false };
      let result: R;
      try {
        result = await this.source.transaction(async (tx) => {
          const made = await work(tx);
          phase.isCommitting = true;
          return made;
        });
      } catch (error) {
        if (attempt < attempts && retryable.has(sqlState(error) ?? '')) continue;
        throw phase.isCommitting ? toldApartOfWrite(error) : toldApart(error);
      }
      this.tellCommitted();
      return result;
    }
  }
}
