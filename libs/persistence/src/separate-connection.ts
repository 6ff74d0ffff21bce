import pg from 'pg';

/**
 * Runs `work` on a new connection, for queries that cannot wait for a connection of the pool.
 * Closes the connection afterwards.
 *
 * @param timeoutMs of the connect, and of each statement
 * @throws errors of pg, also after the timeout; errors of `work`
 */
export async function withSeparateConnection<R>(
  config: pg.ClientConfig,
  timeoutMs: number,
  work: (connection: pg.Client) => Promise<R>,
): Promise<R> {
  const connection = new pg.Client({ ...config, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    return await work(connection);
  } finally {
    void connection.end().catch(() => undefined);
  }
}
