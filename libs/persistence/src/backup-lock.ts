import type { Database } from './database.js';

/** The advisory lock of backups: one key of two halves, in the database that holds the textures. */
const lock = { classid: 7_405, objid: 1 } as const;

/**
 * The statement that makes the sweep keep what a snapshot may speak of, for as long as its session lives. It comes before
 * the snapshot. Shared: backups do not wait for each other.
 */
export const holdBackupLock = `select pg_advisory_lock_shared(${lock.classid}, ${lock.objid})`;

/** Whether a backup is being made. */
export async function backupIsRunning(database: Database): Promise<boolean> {
  const [row] = await database.query<{ running: boolean }>(
    `select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())
       and classid = ${lock.classid} and objid = ${lock.objid}) as running`,
  );
  return row!.running;
}
