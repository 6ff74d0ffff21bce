import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { metricGroup } from '#observability';

/** How the connections of a process to its database are used. */
export const poolMetrics = metricGroup((make) => ({
  size: make.readGauge('database_pool_size', 'Maximum number of connections'),
  open: make.readGauge('database_pool_connections', 'Open connections'),
  inUse: make.readGauge('database_pool_in_use', 'Connections in use by a statement or a transaction'),
  waiting: make.readGauge('database_pool_waiting', 'Statements and transactions waiting for a connection'),
  seconds: make.histogram(
    'database_pool_wait_seconds',
    'Wait for a connection, successful or not',
    [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5],
  ),
}));

/** The pool behind a connected data source. */
export const poolOf = (source: DataSource): pg.Pool =>
  (source.driver as unknown as { readonly master: pg.Pool }).master;

type Taken = Parameters<pg.Pool['connect']>[0];

/**
 * Shows what a pool does from now on.
 *
 * @returns what ends that
 */
export function watchPool(pool: pg.Pool): () => void {
  const { size, open, inUse, waiting, seconds } = poolMetrics();
  const connect = pool.connect.bind(pool) as (taken?: Taken) => unknown;
  // TypeORM takes its connections here, too
  pool.connect = ((taken?: Taken) => {
    const since = performance.now();
    const note = (): void => seconds.observe((performance.now() - since) / 1_000);
    if (!taken) {
      const connected = connect() as Promise<pg.PoolClient>;
      connected.then(note, note);
      return connected;
    }
    return connect((...outcome) => {
      note();
      taken(...outcome);
    });
  }) as typeof pool.connect;
  const watched = [
    size.watch({}, () => pool.options.max),
    open.watch({}, () => pool.totalCount),
    inUse.watch({}, () => pool.totalCount - pool.idleCount),
    waiting.watch({}, () => pool.waitingCount),
  ];
  return () => {
    for (const forget of watched) forget();
  };
}
