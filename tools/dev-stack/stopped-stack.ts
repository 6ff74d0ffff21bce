import { fork } from 'node:child_process';
import { once } from 'node:events';
import { EnvironmentError } from '#config';
import { programFile } from './apps/apps.js';
import { DataFolder } from './data-folder.js';
import { StartFailure } from './failure.js';
import { startPostgres } from './postgres/postgres.js';
import { createDatabase } from './servers/servers.js';
import { readSettings } from './settings.js';

// Runs an operator command on the DATA_DIR of a stopped stack: starts its PostgreSQL for the
// duration of the command and sets the URLs of the stores.

/** Runs the command and returns its exit code. @throws StartFailure if a stack runs in DATA_DIR */
async function runOperatorCommand(words: readonly string[]): Promise<number> {
  const settings = readSettings(process.env);
  const folder = await DataFolder.claim(settings.dataDir);
  try {
    const server = await startPostgres({ dataDir: folder.file('postgres') });
    try {
      const DATABASE_URL = await createDatabase(server.url);
      const env = { ...process.env, DATABASE_URL, BLOB_STORE_URL: settings.blobStoreUrl };
      const [code] = (await once(fork(programFile('operator'), words, { env }), 'exit')) as [number | null];
      return code ?? 1;
    } finally {
      await server.stop();
    }
  } finally {
    await folder.release(false);
  }
}

try {
  process.exitCode = await runOperatorCommand(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof StartFailure || error instanceof EnvironmentError ? error.message : error);
  process.exitCode = 1;
}
