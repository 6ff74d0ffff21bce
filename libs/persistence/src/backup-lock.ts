import type { Database } from './database.js';

/** Advisory lock of backups: a key of two numbers, in the database of the textures. */
const lock = { classid: 7_405, objid: 1 } as const;

/**
 * Statement that blocks the sweep of textures until its session ends. Execute it before the
 * snapshot of a backup, whose rows may refer to textures. The lock is shared, so that backups do
 * not wait for each other.
 */
export const takeBackupLock = `select pg_advisory_lock_shared(${lock.classid}, ${lock.objid})`;

/** Returns true while a backup is running. */
export async function backupIsRunning(database: Database): Promise<boolean> {
  const [row] = await database.query<{ running: boolean }>(
    `select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())
       and classid = ${lock.classid} and objid = ${lock.objid}) as running`,
  );
  return row!.running;
}
