import pg from 'pg';

/** A session of the owner of all schemas. A connection that breaks is told by the statement that needed it. */
export async function openDatabase(url: string, name: string, options?: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    ...(options !== undefined && { options }),
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    // Never the URL itself: it holds a password
    throw new Error(`The database at ${new URL(url).host} cannot be reached: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
