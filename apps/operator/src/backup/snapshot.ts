import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { QueueSnapshot, QueuedEvents } from '#events';
import { takeBackupLock } from '#persistence';
import { openDatabase } from '../connections/database.js';
import { BackupFailure } from './failure.js';
import { ownedSchemas } from './tables.js';

/** Consistent snapshot of database and queues. */
export interface Snapshot {
  /** Session with a repeatable-read transaction of the snapshot. */
  readonly database: pg.Client;
  readonly jobs: QueueSnapshot;
  readonly takenAt: Date;
  /** Ends the transaction. Textures are not swept before `close`. */
  release(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Limit of the wait for the lock of one outbox. Writes to it and to the outboxes locked before
 * wait, too: with six outboxes at most 3 s, less than the lock timeout of services (5 s). After
 * this limit, all locks are released, and the snapshot retries.
 */
const lockTimeout = '500ms';
const attempts = 30;

/**
 * Allowance for clock differences between machines. Jobs that completed up to this long before the
 * snapshot are listed unnecessarily.
 */
const toleranceMs = 60_000;

const application = 'storefront-backup';
const states = { lockNotAvailable: '55P03', deadlock: '40P01' };

/**
 * Takes a snapshot in which each event is either in an outbox, in the queues of its subscribers, or
 * consumed. Outboxes are locked against writes for the milliseconds in which the transaction starts
 * and the queues are listed. Reads, and writes without an event, are not blocked.
 */
export async function takeSnapshot(databaseUrl: string, queued: QueuedEvents): Promise<Snapshot> {
  const database = await openDatabase(databaseUrl, application);
  const locker = await openDatabase(databaseUrl, application).catch(async (error: unknown) => {
    await database.end();
    throw error;
  });
  try {
    await database.query(takeBackupLock);
    await lockOutboxes(locker);
    await database.query('begin isolation level repeatable read read only');
    const { rows } = await database.query<{ now: Date }>('select clock_timestamp() as now');
    const takenAt = rows[0]!.now;
    const jobs = await queued.snapshot(new Date(takenAt.getTime() - toleranceMs));
    return { database, jobs, takenAt, release: () => database.query('commit'), close: () => database.end() };
  } catch (error) {
    await database.end();
    throw error;
  } finally {
    await locker.end();
  }
}

async function lockOutboxes(locker: pg.Client): Promise<void> {
  const outboxes = ownedSchemas.map((schema) => `"${schema}".outbox`).join(', ');
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      await locker.query(
        `begin; set local lock_timeout = '${lockTimeout}'; lock table ${outboxes} in share row exclusive mode`,
      );
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== states.lockNotAvailable && code !== states.deadlock) throw error;
      await locker.query('rollback');
      await sleep(500);
    }
  }
  throw new BackupFailure('The outboxes could not be locked, because writes never paused; try again at lower load.');
}
