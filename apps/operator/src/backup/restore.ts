import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { publishers, serviceNames, type ServiceName } from '#contracts';
import { schemaOf } from '#persistence';
import { migrate, type MigrationSource } from '#migrations';
import { givenBlobStore } from '#storage';
import { openDatabase } from '../connections/database.js';
import { checkBackup } from './check.js';
import type { Say } from './create.js';
import { BackupFailure } from './failure.js';
import { jsonLines, readLines } from './line-file.js';
import { BlobLine, type Manifest, QueuedLine, type TableFile } from './manifest.js';
import { columnsOf, migrationsOf, nameOf, tablesOf } from './tables.js';
import { migrationsOfApp } from '../../../migrations.js';

/** Where to: an empty database, as a user who may create schemas and roles, and a blob store. */
export interface RestoreTarget {
  readonly databaseUrl: string;
  readonly blobStoreUrl: string;
  /** See `migrate`. */
  readonly rolesSecret?: string;
}

/**
 * Puts a backup into an empty database and its blobs into a store, then brings the tables to what this version needs.
 * All rows come in one transaction: after a failure the database is as empty as before, and it can be done again.
 *
 * @throws BackupFailure
 */
export async function restoreBackup(folder: string, target: RestoreTarget, say: Say): Promise<Manifest> {
  const manifest = await checkBackup(folder);
  say(`${folder} is whole`);
  const then = await migrationsOfBackup(manifest);
  const database = await openDatabase(target.databaseUrl, 'storefront-restore');
  try {
    await refuseContent(database);
    await reachState(database, manifest, target, then);
    const blobs = await restoreBlobs(folder, manifest, target.blobStoreUrl);
    say(`${blobs} blobs`);
    await restoreRows(database, folder, manifest, say);
  } finally {
    await database.end();
  }
  await migrateTo(target, migrationsOfApp, say);
  return manifest;
}

const migrateTo = ({ databaseUrl, rolesSecret }: RestoreTarget, source: MigrationSource, say?: Say): Promise<void> =>
  migrate({ url: databaseUrl, ...(rolesSecret && { rolesSecret }), ...(say && { say }) }, source);

/** Those of this version's migrations that the backup had behind it. */
async function migrationsOfBackup({ migrations }: Manifest): Promise<MigrationSource> {
  const kept: [ServiceName, Awaited<ReturnType<MigrationSource>>][] = [];
  for (const service of serviceNames) {
    const all = await migrationsOfApp(service);
    const done = migrations[service];
    const names = all.map((Migration) => new Migration().name!);
    const unknown = done.filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new BackupFailure(`The backup is of a newer version: this one has no migration ${unknown.join(', ')}.`);
    kept.push([service, all.filter((_, index) => done.includes(names[index]!))]);
  }
  return (service) => Promise.resolve(kept.find(([name]) => name === service)![1]);
}

async function refuseContent(database: pg.Client): Promise<void> {
  const filled: string[] = [];
  for (const table of await tablesOf(database)) {
    const own = table.schema === 'accounts' && table.table === 'users' ? 'where id <> 0' : '';
    const { rows } = await database.query<{ count: number }>(`select count(*) from ${nameOf(table)} ${own}`);
    if (rows[0]!.count > 0) filled.push(`${table.schema}.${table.table} (${rows[0]!.count} rows)`);
  }
  if (filled.length > 0)
    throw new BackupFailure(`The database is not empty: ${filled.join(', ')}. A backup is restored into an empty one.`);
}

/** An empty database is brought to the state of the backup; one that is migrated must have it already. */
async function reachState(
  database: pg.Client,
  { migrations }: Manifest,
  target: RestoreTarget,
  then: MigrationSource,
): Promise<void> {
  const now = await migrationsOf(database);
  const isUntouched = Object.values(now).every((names) => names.length === 0);
  if (isUntouched) {
    await migrateTo(target, then);
    return;
  }
  const other = serviceNames.filter((service) => now[service].join() !== migrations[service].join());
  if (other.length > 0)
    throw new BackupFailure(
      `The tables of ${other.join(', ')} are not in the state of the backup. Give a database without any tables: ` +
        'it is brought to that state, filled, and then brought up to date.',
    );
}

/** They lie under their hashes, so that one that is there already is the same. */
async function restoreBlobs(folder: string, { blobs, missingBlobs }: Manifest, url: string): Promise<number> {
  const store = givenBlobStore(url);
  const missing = new Set(missingBlobs);
  let restored = 0;
  for await (const line of jsonLines(folder, blobs.file)) {
    const { key } = BlobLine.parse(line);
    if (missing.has(key)) continue;
    await store.put(key, createReadStream(join(folder, 'blobs', key)));
    restored += 1;
  }
  return restored;
}

async function restoreRows(database: pg.Client, folder: string, manifest: Manifest, say: Say): Promise<void> {
  await database.query('begin');
  // Nobody writes beside it: what was empty a moment ago still is
  await database.query(`lock table ${manifest.tables.map(nameOf).join(', ')} in access exclusive mode`);
  await refuseContent(database);
  await database.query('delete from accounts.users');
  for (const table of manifest.tables) await restoreTable(database, folder, table, say);
  for (const { schema, sequence, value, isCalled } of manifest.sequences)
    await database.query('select setval($1::regclass, $2, $3)', [`"${schema}"."${sequence}"`, value, isCalled]);
  say(`${await restoreEvents(database, folder, manifest)} events of the queues`);
  await database.query('commit');
}

async function restoreTable(database: pg.Client, folder: string, table: TableFile, say: Say): Promise<void> {
  const copy = database.query(copyFrom(`copy ${nameOf(table)} (${columnsOf(table)}) from stdin`));
  await pipeline(readLines(folder, table.file), copy);
  if (copy.rowCount !== table.lines)
    throw new BackupFailure(`${nameOf(table)}: ${copy.rowCount} of ${table.lines} rows were taken.`);
  if (table.lines > 0) say(`${table.schema}.${table.table}: ${table.lines} rows`);
}

/** An event that no version knows any more waits where it was to be consumed. */
const publisherOf = ({ subscriber, event: { name } }: QueuedLine): ServiceName =>
  Object.hasOwn(publishers, name) ? publishers[name as keyof typeof publishers] : subscriber;

/**
 * Appends the events of the queues to the outboxes of their publishers, whose relays publish them to all subscribers again.
 * A service that has consumed one before knows that from its inbox, which is of the same moment.
 */
async function restoreEvents(database: pg.Client, folder: string, { events }: Manifest): Promise<number> {
  let restored = 0;
  const known = new Set<string>();
  for (const schema of serviceNames.map(schemaOf)) {
    const { rows } = await database.query<{ id: string }>(`select id from "${schema}".outbox`);
    for (const { id } of rows) known.add(id);
  }
  for await (const line of jsonLines(folder, events.file)) {
    const queued = QueuedLine.parse(line);
    const { event } = queued;
    if (known.has(event.id)) continue;
    known.add(event.id);
    await database.query(
      `insert into "${schemaOf(publisherOf(queued))}".outbox (id, name, version, payload, metadata, occurred_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        event.id,
        event.name,
        event.version,
        JSON.stringify(event.payload),
        JSON.stringify(event.metadata),
        event.occurredAt,
      ],
    );
    restored += 1;
  }
  return restored;
}
