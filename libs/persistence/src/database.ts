import pg from 'pg';
import { DataSource, type EntityManager, type EntitySchema, QueryFailedError } from 'typeorm';
import { problems, type ServiceName } from '#contracts';
import { DomainError } from '#kernel';
import { schemaOf } from './schemas.js';

// Ids and counters stay far below 2^53, so that numbers are safe and JSON shows them as numbers
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A transaction in progress: what repositories and the outbox write through. */
export type Tx = EntityManager;

/** No promise may come out of a change: what waits for a network does not belong between BEGIN and COMMIT. */
export type Sync<R> = R extends PromiseLike<unknown> ? never : R;

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
    url,
    schema,
    entities: [...entities],
    synchronize: false,
    applicationName: `storefront-${service}`,
    extra: {
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

const sqlState = (error: unknown): string | undefined =>
  error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;

/** The name of the constraint that refused a write, or undefined when the error is something else. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!sqlState(error)?.startsWith('23')) return undefined;
  return ((error as QueryFailedError).driverError as { constraint?: string }).constraint;
}

// connection_exception, admin and crash shutdown, cannot_connect_now, too_many_connections; then what the socket says
const unreachableStates = /^(08...|57P0[1-3]|53300)$/;
const unreachableCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN']);
// pg says these without a code
const unreachableWords =
  /connection terminated|connection timeout|connection error|not queryable|query read timeout|timeout exceeded/i;

function isUnreachable(error: unknown): boolean {
  const driverError: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const { code, message } = (driverError ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return unreachableStates.test(code) || unreachableCodes.has(code);
  return typeof message === 'string' && unreachableWords.test(message);
}

// lock_not_available and query_canceled: the time limits above
const tookTooLong = new Set(['55P03', '57014']);

const comeAgain = (code: 'service.unavailable' | 'service.overloaded', detail: string): DomainError =>
  new DomainError(problems[code], detail, undefined, { 'retry-after': '1' });

/** A database that is away or too busy is no defect of the request: the caller is told to come again. */
function toldApart(error: unknown): unknown {
  if (isUnreachable(error)) return comeAgain('service.unavailable', 'The database is not reachable.');
  if (tookTooLong.has(sqlState(error) ?? '')) return comeAgain('service.overloaded', 'The database took too long.');
  return error;
}

/** The database of a service. */
export class Database {
  constructor(readonly source: DataSource) {}

  /**
   * One statement. bigint comes back as number, timestamptz as Date, json as values.
   *
   * @throws DomainError `service.unavailable` when the database is not reachable, `service.overloaded` over a time limit
   */
  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    try {
      return await this.source.query<Row[]>(sql, [...parameters]);
    } catch (error) {
      throw toldApart(error);
    }
  }

  /** BEGIN, work, COMMIT; or ROLLBACK when work throws. A deadlock or a serialization failure is tried again. */
  async transaction<R>(work: (tx: Tx) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.source.transaction(work);
      } catch (error) {
        if (attempt >= attempts || !retryable.has(sqlState(error) ?? '')) throw toldApart(error);
      }
    }
  }
}
