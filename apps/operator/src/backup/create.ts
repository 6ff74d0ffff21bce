import { createWriteStream } from 'node:fs';
import { access, mkdir, open, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type JobState, QueuedEvents } from '#events';
import { type BlobStore, givenBlobStore } from '#storage';
import type { Stores } from '../connections/stores.js';
import { type Cut, takeCut } from './cut.js';
import { BackupFailure } from './failure.js';
import { Hasher, jsonLines, writeLines } from './line-file.js';
import { BlobLine, format, type LineFile, type Manifest, type QueuedLine, type TableFile } from './manifest.js';
import { columnsOf, migrationsOf, nameOf, sequencesOf, tablesOf } from './tables.js';

/** Takes the lines that tell how far it is. */
export type Say = (line: string) => void;

const blobsAtOnce = 8;
const rowsPerTrip = 1_000;

const json = async function* (values: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
};

/**
 * Writes everything that cannot be made again into a new folder, as it was in one moment, while everything runs. The
 * folder has its name only when it is whole.
 *
 * @throws BackupFailure
 */
export async function createBackup(from: Stores, folder: string, say: Say): Promise<Manifest> {
  const target = resolve(folder);
  const partial = `${target}.partial`;
  await makeFolder(target, partial);
  const queued = new QueuedEvents(from.jobsUrl);
  try {
    const cut = await takeCut(from.databaseUrl, queued);
    const { kept, stored, missing } = await keepAll(cut, queued, { from, partial, say }).finally(() => cut.close());
    const manifest: Manifest = { ...kept, missingBlobs: missing };
    await writeFile(join(partial, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await rename(partial, target);
    await syncFolder(dirname(target));
    say(`${stored} blobs; ${target} is whole`);
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    queued.close();
  }
}

interface Way {
  readonly from: Stores;
  readonly partial: string;
  readonly say: Say;
}

/** The transaction ends with the tables; the session, which blocks the sweep of textures, with the last blob. */
async function keepAll(cut: Cut, queued: QueuedEvents, { from, partial, say }: Way) {
  const kept = await keepDatabase(cut, queued, partial, say);
  await cut.release();
  const { stored, missing } = await keepBlobs(givenBlobStore(from.blobStoreUrl), partial, kept.blobs, say);
  // A session that was lost did not block the sweep
  await cut.database.query('select 1');
  return { kept, stored, missing };
}

async function makeFolder(target: string, partial: string): Promise<void> {
  const isThere = await access(target).then(
    () => true,
    () => false,
  );
  if (isThere) throw new BackupFailure(`${target} is there already; a backup gets a folder of its own.`);
  try {
    await mkdir(partial, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new BackupFailure(
        `${partial} is there: another backup is being made, or one was interrupted. Remove it then.`,
      );
    throw new BackupFailure(`${partial} cannot be made (${String(code)}).`);
  }
}

async function keepDatabase(
  { database, jobs, takenAt }: Cut,
  queued: QueuedEvents,
  folder: string,
  say: Say,
): Promise<Omit<Manifest, 'missingBlobs'>> {
  // First: jobs that end well are forgotten after a while
  const events = await writeLines(
    folder,
    'events.ndjson.gz',
    Readable.from(json(linesOf(queued.events(jobs, refuseGap)))),
  );
  await checkRoom(database, folder);
  const tables: TableFile[] = [];
  for (const table of await tablesOf(database)) {
    const rows = database.query(copyTo(`copy ${nameOf(table)} (${columnsOf(table)}) to stdout`));
    const file = await writeLines(folder, `${table.schema}.${table.table}.copy.gz`, rows);
    tables.push({ ...table, columns: [...table.columns], ...file });
    if (file.lines > 0) say(`${table.schema}.${table.table}: ${file.lines} rows`);
  }
  const blobs = await writeLines(folder, 'blobs.ndjson.gz', Readable.from(json(texturesIn(database))));
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

/** The effect of an event that nobody had consumed in the cut would be in no table, and the event in no line. */
function refuseGap(state: JobState): void {
  if (state !== 'done')
    throw new BackupFailure('Events were worked off faster than they could be kept. Try again when less waits.');
}

async function* linesOf(events: ReturnType<QueuedEvents['events']>): AsyncGenerator<QueuedLine> {
  for await (const { subscriber, event } of events) yield { subscriber, event };
}

/** Images are not in a backup: they are drawn of these again. No texture is swept before the cut is closed, so it can be copied later. */
async function* texturesIn(database: pg.Client): AsyncGenerator<BlobLine> {
  for (let last = ''; ;) {
    const { rows } = await database.query<{ hash: string; bytes: number; key: string }>(
      `select hash, bytes, coalesce(blob_key, 'textures/' || hash) as key from rendering.textures where hash > $1 order by hash limit ${rowsPerTrip}`,
      [last],
    );
    for (const { hash, bytes, key } of rows) yield { key, bytes, sha256: hash };
    if (rows.length < rowsPerTrip) return;
    last = rows.at(-1)!.hash;
  }
}

/** Tables get smaller on the way, blobs do not. */
async function checkRoom(database: pg.Client, folder: string): Promise<void> {
  const { rows } = await database.query<{ needed: number }>(
    `select (select coalesce(sum(bytes), 0) from rendering.textures) + pg_database_size(current_database()) as needed`,
  );
  const { needed } = rows[0]!;
  const { bavail, bsize } = await statfs(folder);
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MB`;
  if (bavail * bsize < needed)
    throw new BackupFailure(
      `The backup may need ${megabytes(needed)}, and ${megabytes(bavail * bsize)} are free where it is to be.`,
    );
}

async function keepBlobs(
  store: BlobStore,
  folder: string,
  list: LineFile,
  say: Say,
): Promise<{ stored: number; missing: string[] }> {
  await mkdir(join(folder, 'blobs', 'textures'), { recursive: true, mode: 0o700 });
  const lines = jsonLines(folder, list.file);
  const missing: string[] = [];
  let stored = 0;
  const work = async (): Promise<void> => {
    for await (const line of lines) {
      const blob = BlobLine.parse(line);
      if (await keepBlob(store, folder, blob)) stored += 1;
      else missing.push(blob.key);
      if (stored % 1_000 === 0) say(`${stored} of ${list.lines} blobs`);
    }
  };
  // One generator for all: each takes the next line
  await Promise.all(Array.from({ length: blobsAtOnce }, work));
  return { stored, missing: missing.sort() };
}

/** @returns false when there is no such blob, or one with other bytes */
async function keepBlob(store: BlobStore, folder: string, { key, bytes, sha256 }: BlobLine): Promise<boolean> {
  const blob = await store.read(key);
  if (blob === null) return false;
  const hash = new Hasher();
  const kept = join(folder, 'blobs', key);
  await pipeline(blob, hash, createWriteStream(kept, { flags: 'wx', mode: 0o600, flush: true }));
  if (hash.bytes === bytes && hash.sha256 === sha256) return true;
  await rm(kept);
  return false;
}

/** So that the new name outlives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
