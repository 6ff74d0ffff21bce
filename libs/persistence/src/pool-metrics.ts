import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { metricGroup } from '#observability';

/** Metrics of a process's connection pool. */
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

/** Returns the pool of a connected data source. */
export const poolOf = (source: DataSource): pg.Pool =>
  (source.driver as unknown as { readonly master: pg.Pool }).master;

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

/**
 * Starts to record the metrics of a pool.
 *
 * @returns a function that removes the gauges
 */
export function observePool(pool: pg.Pool): () => void {
  const { size, open, inUse, waiting, seconds } = poolMetrics();
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => unknown;
  // TypeORM also gets its connections here
  pool.connect = ((callback?: ConnectCallback) => {
    const startedAt = performance.now();
    const observe = (): void => seconds.observe((performance.now() - startedAt) / 1_000);
    if (!callback) {
      const connected = connect() as Promise<pg.PoolClient>;
      connected.then(observe, observe);
      return connected;
    }
    return connect((...outcome) => {
      observe();
      callback(...outcome);
    });
  }) as typeof pool.connect;
  const gauges = [
    size.watch({}, () => pool.options.max),
    open.watch({}, () => pool.totalCount),
    inUse.watch({}, () => pool.totalCount - pool.idleCount),
    waiting.watch({}, () => pool.waitingCount),
  ];
  return () => {
    for (const stop of gauges) stop();
  };
}
