import type { Database } from './database.js';

/** The advisory lock of backups: one key of two halves, in the database of the textures. */
const lock = { classid: 7_405, objid: 1 } as const;

/**
 * The statement that stops the sweep of textures until its session ends. It comes before the snapshot of a backup, which
 * may refer to them. Shared: backups do not wait for each other.
 */
export const takeBackupLock = `select pg_advisory_lock_shared(${lock.classid}, ${lock.objid})`;

/** Checks for a running backup. */
export async function backupIsRunning(database: Database): Promise<boolean> {
  const [row] = await database.query<{ running: boolean }>(
    `select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())
       and classid = ${lock.classid} and objid = ${lock.objid}) as running`,
  );
  return row!.running;
}
