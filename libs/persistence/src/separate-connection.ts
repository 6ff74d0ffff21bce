import pg from 'pg';

/**
 * Asks over a link of its own, for what cannot wait until the pool has one. It is cut afterwards.
 *
 * @param withinMs for the link, and again for each statement
 * @throws what pg throws, also when the time is over
 */
export async function overOwnLink<R>(
  config: pg.ClientConfig,
  withinMs: number,
  ask: (link: pg.Client) => Promise<R>,
): Promise<R> {
  const link = new pg.Client({ ...config, connectionTimeoutMillis: withinMs, query_timeout: withinMs });
  link.on('error', () => undefined);
  try {
    await link.connect();
    return await ask(link);
  } finally {
    void link.end().catch(() => undefined);
  }
}
