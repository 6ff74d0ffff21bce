import pg from 'pg';

/** Opens a session as the role of the URL. If the connection is lost, the next statement fails. */
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
    // Names only the host, because the URL contains a password
    throw new Error(`The database at ${new URL(url).host} cannot be reached: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
