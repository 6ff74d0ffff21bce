import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { JobsAtOnce, QueuedEvents } from '#events';
import { takeBackupLock } from '#persistence';
import { openDatabase } from '../connections/database.js';
import { BackupFailure } from './failure.js';
import { ownedSchemas } from './tables.js';

/** One moment of everything: a session that sees the database as it was then, and the jobs that were in the queues. */
export interface Cut {
  /** In a transaction that reads what was committed at the moment, until it is closed. */
  readonly database: pg.Client;
  readonly jobs: JobsAtOnce;
  readonly takenAt: Date;
  /** Ends the transaction. What it speaks of is not swept before `close`. */
  release(): Promise<unknown>;
  close(): Promise<void>;
}

/** Whoever says something waits so long at most; then those that wait go first, and the cut is tried again. */
const lockTimeout = '2s';
const attempts = 30;

/** Clocks of the machines may differ. What ended well a little earlier is looked at in vain, and does no harm. */
const toleranceMs = 60_000;

const application = 'storefront-backup';
const states = { lockNotAvailable: '55P03', deadlock: '40P01' };

/**
 * An event leaves its outbox for a queue, and a queue for an effect. So that each is in the cut exactly where it was, nobody
 * writes into an outbox for the moment in which the snapshot is taken and the queues are listed: some milliseconds. Reads
 * and whatever says nothing go on.
 */
export async function takeCut(databaseUrl: string, queued: QueuedEvents): Promise<Cut> {
  const database = await openDatabase(databaseUrl, application);
  const gate = await openDatabase(databaseUrl, application).catch(async (error: unknown) => {
    await database.end();
    throw error;
  });
  try {
    await database.query(takeBackupLock);
    await shut(gate);
    await database.query('begin isolation level repeatable read read only');
    const { rows } = await database.query<{ now: Date }>('select clock_timestamp() as now');
    const takenAt = rows[0]!.now;
    const jobs = await queued.atOnce(new Date(takenAt.getTime() - toleranceMs));
    return { database, jobs, takenAt, release: () => database.query('commit'), close: () => database.end() };
  } catch (error) {
    await database.end();
    throw error;
  } finally {
    await gate.end();
  }
}

async function shut(gate: pg.Client): Promise<void> {
  const outboxes = ownedSchemas.map((schema) => `"${schema}".outbox`).join(', ');
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      await gate.query(
        `begin; set local lock_timeout = '${lockTimeout}'; lock table ${outboxes} in share row exclusive mode`,
      );
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== states.lockNotAvailable && code !== states.deadlock) throw error;
      await gate.query('rollback');
      await sleep(500);
    }
  }
  throw new BackupFailure('The outboxes are written without a pause; try again when there is less to do.');
}
