import { createWriteStream } from 'node:fs';
import { access, mkdir, open, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type JobState, QueuedEvents } from '#events';
import { type BlobStore, blobStoreFromEnvironment } from '#storage';
import { itemBlobs } from '../verify/blob-checks.js';
import type { Stores } from '../connections/stores.js';
import { type Snapshot, takeSnapshot } from './snapshot.js';
import { BackupFailure } from './failure.js';
import { Hasher, jsonLines, writeLines } from './line-file.js';
import { BlobLine, format, type LineFile, type Manifest, type QueuedLine, type TableFile } from './manifest.js';
import { columnsOf, migrationsOf, nameOf, sequencesOf, tablesOf } from './tables.js';

/** Receives progress messages, one line each. */
export type PrintLine = (line: string) => void;

const concurrentBlobs = 8;
const rowsPerQuery = 1_000;

const json = async function* (values: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
};

/**
 * Writes all data that cannot be derived again into a new folder, as one consistent snapshot of a
 * running stack. The folder gets its name when the backup is complete; until then its name ends
 * with `.partial`. A failed backup is deleted.
 *
 * @throws BackupFailure, or the error of a store
 */
export async function createBackup(from: Stores, folder: string, print: PrintLine): Promise<Manifest> {
  const target = resolve(folder);
  const partial = `${target}.partial`;
  await makeFolder(target, partial);
  const queued = new QueuedEvents(from.jobsUrl);
  try {
    const snapshot = await takeSnapshot(from.databaseUrl, queued);
    const { content, stored, missing } = await writeBackup(snapshot, queued, { from, partial, print }).finally(() =>
      snapshot.close(),
    );
    const manifest: Manifest = { ...content, missingBlobs: missing };
    await writeFile(join(partial, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await rename(partial, target);
    await syncFolder(dirname(target));
    print(`${stored} blobs; ${target} is complete`);
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    queued.close();
  }
}

interface BackupContext {
  readonly from: Stores;
  readonly partial: string;
  readonly print: PrintLine;
}

/**
 * Writes events and tables, then blobs. The snapshot's transaction ends after the tables; its
 * session, whose lock blocks the sweep of textures, ends after the last blob.
 */
async function writeBackup(snapshot: Snapshot, queued: QueuedEvents, { from, partial, print }: BackupContext) {
  const content = await writeDatabase(snapshot, queued, partial, print);
  await snapshot.release();
  const { stored, missing } = await copyBlobs(
    blobStoreFromEnvironment(from.blobStoreUrl),
    partial,
    content.blobs,
    print,
  );
  // Fails if the session was lost, because then nothing blocked the sweep
  await snapshot.database.query('select 1');
  return { content, stored, missing };
}

async function makeFolder(target: string, partial: string): Promise<void> {
  const exists = await access(target).then(
    () => true,
    () => false,
  );
  if (exists) throw new BackupFailure(`${target} already exists; a backup is written to a new folder.`);
  try {
    await mkdir(partial, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new BackupFailure(
        `${partial} exists: another backup is running or was interrupted. In the latter case remove the folder.`,
      );
    throw new BackupFailure(`${partial} cannot be created (${String(code)}).`);
  }
}

async function writeDatabase(
  { database, jobs, takenAt }: Snapshot,
  queued: QueuedEvents,
  folder: string,
  print: PrintLine,
): Promise<Omit<Manifest, 'missingBlobs'>> {
  // Events are written first, because completed jobs are removed after a while
  const events = await writeLines(
    folder,
    'events.ndjson.gz',
    Readable.from(json(linesOf(queued.events(jobs, rejectGap)))),
  );
  await checkFreeSpace(database, folder);
  const tables: TableFile[] = [];
  for (const table of await tablesOf(database)) {
    const rows = database.query(copyTo(`copy ${nameOf(table)} (${columnsOf(table)}) to stdout`));
    const file = await writeLines(folder, `${table.schema}.${table.table}.copy.gz`, rows);
    tables.push({ ...table, columns: [...table.columns], ...file });
    if (file.lines > 0) print(`${table.schema}.${table.table}: ${file.lines} rows`);
  }
  const blobs = await writeLines(folder, 'blobs.ndjson.gz', Readable.from(json(blobsIn(database))));
  return {
    format,
    takenAt: takenAt.toISOString(),
    migrations: await migrationsOf(database),
    tables,
    sequences: await sequencesOf(database),
    events,
    blobs,
  };
}

/**
 * Rejects a job that was not completed at the snapshot and was removed before its event was read:
 * its effect is not in the tables of the snapshot, and its event is not in the backup.
 *
 * @throws BackupFailure
 */
function rejectGap(state: JobState): void {
  if (state !== 'done')
    throw new BackupFailure('Events were consumed faster than they were saved. Try again at lower load.');
}

async function* linesOf(events: ReturnType<QueuedEvents['events']>): AsyncGenerator<QueuedLine> {
  for await (const { subscriber, event } of events) yield { subscriber, event };
}

/** Yields the blobs of imported items and of all textures. */
async function* blobsIn(database: pg.Client): AsyncGenerator<BlobLine> {
  // Imports are few
  const { rows } = await database.query<BlobLine>(itemBlobs);
  yield* rows;
  yield* texturesIn(database);
}

/**
 * Yields the blobs of all textures. Images are not in a backup, because they are rendered again
 * from textures. Textures are not swept before the snapshot is closed, so their blobs can be copied
 * later.
 */
async function* texturesIn(database: pg.Client): AsyncGenerator<BlobLine> {
  for (let last = ''; ;) {
    const { rows } = await database.query<{ hash: string; bytes: number; key: string }>(
      `select hash, bytes, coalesce(blob_key, 'textures/' || hash) as key from rendering.textures where hash > $1 order by hash limit ${rowsPerQuery}`,
      [last],
    );
    for (const { hash, bytes, key } of rows) yield { key, bytes, sha256: hash };
    if (rows.length < rowsPerQuery) return;
    last = rows.at(-1)!.hash;
  }
}

/**
 * Checks that the target has space for the database and all textures. The backup takes less,
 * because tables are compressed.
 *
 * @throws BackupFailure
 */
async function checkFreeSpace(database: pg.Client, folder: string): Promise<void> {
  const { rows } = await database.query<{ needed: number }>(
    `select (select coalesce(sum(bytes), 0) from rendering.textures) + pg_database_size(current_database()) as needed`,
  );
  const { needed } = rows[0]!;
  const { bavail, bsize } = await statfs(folder);
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MB`;
  if (bavail * bsize < needed)
    throw new BackupFailure(
      `The backup can take ${megabytes(needed)}, and ${megabytes(bavail * bsize)} are free at its target.`,
    );
}

async function copyBlobs(
  store: BlobStore,
  folder: string,
  list: LineFile,
  print: PrintLine,
): Promise<{ stored: number; missing: string[] }> {
  for (const name of ['textures', 'layers', 'icons'])
    await mkdir(join(folder, 'blobs', name), { recursive: true, mode: 0o700 });
  const lines = jsonLines(folder, list.file);
  const missing: string[] = [];
  let stored = 0;
  const work = async (): Promise<void> => {
    for await (const line of lines) {
      const blob = BlobLine.parse(line);
      if (await copyBlob(store, folder, blob)) stored += 1;
      else missing.push(blob.key);
      if (stored % 1_000 === 0) print(`${stored} of ${list.lines} blobs`);
    }
  };
  // The workers share one generator: each takes the next line
  await Promise.all(Array.from({ length: concurrentBlobs }, work));
  return { stored, missing: missing.sort() };
}

/** @returns false if the blob is missing or has other bytes */
async function copyBlob(store: BlobStore, folder: string, { key, bytes, sha256 }: BlobLine): Promise<boolean> {
  const blob = await store.read(key);
  if (blob === null) return false;
  const hash = new Hasher();
  const copy = join(folder, 'blobs', key);
  await pipeline(blob, hash, createWriteStream(copy, { flags: 'wx', mode: 0o600, flush: true }));
  if (hash.bytes === bytes && hash.sha256 === sha256) return true;
  await rm(copy);
  return false;
}

/** Flushes a folder, so that a rename in it survives a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
