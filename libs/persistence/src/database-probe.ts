import { type Database } from './database.js';
import { poolOf } from './pool-metrics.js';
import { withSeparateConnection } from './separate-connection.js';

/** The timeout of a readiness check. */
const probeTimeoutMs = 2_000;

/** too_many_connections: the server that reports it is reachable. */
const isTooManyConnections = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === '53300';

/**
 * Returns true when the database replies. While all connections of the pool are in use, the query
 * uses a separate connection: a busy process stays ready, because the other replicas are busy for
 * the same reason and would get its work as well.
 *
 * @throws errors of the database when it is not reachable
 */
export async function isReachable(database: Database): Promise<boolean> {
  const pool = poolOf(database.source);
  const isBusy = pool.idleCount === 0 && pool.totalCount >= pool.options.max;
  if (!isBusy) return (await database.query('select 1')).length === 1;
  try {
    const { rowCount } = await withSeparateConnection(pool.options, probeTimeoutMs, (connection) =>
      connection.query('select 1'),
    );
    return rowCount === 1;
  } catch (error) {
    if (isTooManyConnections(error)) return true;
    throw error;
  }
}
