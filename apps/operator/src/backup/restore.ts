import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { publishers, serviceNames, type ServiceName } from '#contracts';
import { schemaOf } from '#persistence';
import { migrate, type LoadMigrations } from '#migrations';
import { blobStoreFromEnvironment } from '#storage';
import { openDatabase } from '../connections/database.js';
import { checkBackup } from './check.js';
import type { PrintLine } from './create.js';
import { BackupFailure } from './failure.js';
import { jsonLines, readLines } from './line-file.js';
import { BlobLine, type Manifest, QueuedLine, type TableFile } from './manifest.js';
import { columnsOf, migrationsOf, nameOf, tablesOf } from './tables.js';
import { migrationsOfApp } from '../../../migrations.js';

/**
 * Target of a restore: the URL of an empty database, whose role may create schemas and roles, and a
 * blob store.
 */
export interface RestoreTarget {
  readonly databaseUrl: string;
  readonly blobStoreUrl: string;
  /** Secret from which the passwords of the service roles are derived. */
  readonly rolesSecret?: string;
}

/**
 * Restores a backup into an empty database and a blob store, then applies the migrations of this
 * version. All rows are inserted in one transaction: if that fails, the tables are still empty, and
 * the restore can be repeated.
 *
 * @throws BackupFailure, or the error of a store
 */
export async function restoreBackup(folder: string, target: RestoreTarget, print: PrintLine): Promise<Manifest> {
  const manifest = await checkBackup(folder);
  print(`${folder} is complete`);
  const applied = await migrationsOfBackup(manifest);
  const database = await openDatabase(target.databaseUrl, 'storefront-restore');
  try {
    await rejectNonEmpty(database);
    await prepareSchema(database, manifest, target, applied);
    const blobs = await restoreBlobs(folder, manifest, target.blobStoreUrl);
    print(`${blobs} blobs`);
    await restoreRows(database, folder, manifest, print);
  } finally {
    await database.end();
  }
  await migrateTo(target, migrationsOfApp, print);
  return manifest;
}

const migrateTo = (
  { databaseUrl, rolesSecret }: RestoreTarget,
  source: LoadMigrations,
  print?: PrintLine,
): Promise<void> =>
  migrate({ url: databaseUrl, ...(rolesSecret && { rolesSecret }), ...(print && { log: print }) }, source);

/** Returns the migrations that were applied when the backup was taken. */
async function migrationsOfBackup({ migrations }: Manifest): Promise<LoadMigrations> {
  const selected: [ServiceName, Awaited<ReturnType<LoadMigrations>>][] = [];
  for (const service of serviceNames) {
    const all = await migrationsOfApp(service);
    const appliedNames = migrations[service];
    const names = all.map((Migration) => new Migration().name!);
    const unknown = appliedNames.filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new BackupFailure(`The backup is of a newer version: this one has no migration ${unknown.join(', ')}.`);
    selected.push([service, all.filter((_, index) => appliedNames.includes(names[index]!))]);
  }
  return (service) => Promise.resolve(selected.find(([name]) => name === service)![1]);
}

/** SQL conditions of the rows that migrations insert. The rows of the backup replace them. */
const initialRows: Readonly<Record<string, string>> = {
  'accounts.users': 'id = 0',
  'webhooks.deleted_events': 'position = 0',
};

async function rejectNonEmpty(database: pg.Client): Promise<void> {
  const filled: string[] = [];
  for (const table of await tablesOf(database)) {
    const name = `${table.schema}.${table.table}`;
    const { rows } = await database.query<{ count: number }>(
      `select count(*) from ${nameOf(table)} where not (${initialRows[name] ?? 'false'})`,
    );
    if (rows[0]!.count > 0) filled.push(`${name} (${rows[0]!.count} rows)`);
  }
  if (filled.length > 0)
    throw new BackupFailure(`The database is not empty: ${filled.join(', ')}. A backup is restored into an empty one.`);
}

/**
 * Applies the migrations of the backup if the database has none. Otherwise the applied migrations
 * must be those of the backup.
 *
 * @throws BackupFailure
 */
async function prepareSchema(
  database: pg.Client,
  { migrations }: Manifest,
  target: RestoreTarget,
  applied: LoadMigrations,
): Promise<void> {
  const now = await migrationsOf(database);
  const isUntouched = Object.values(now).every((names) => names.length === 0);
  if (isUntouched) {
    await migrateTo(target, applied);
    return;
  }
  const other = serviceNames.filter((service) => now[service].join() !== migrations[service].join());
  if (other.length > 0)
    throw new BackupFailure(
      `The tables of ${other.join(', ')} have other migrations than the backup. Use a database without tables: ` +
        'the migrations of the backup are applied, then its rows are restored, then newer migrations are applied.',
    );
}

/**
 * Writes the blobs of the backup. Keys contain hashes, so an existing blob of the same key has the
 * same content. An icon of an earlier version, whose key has the name of its item, is replaced.
 */
async function restoreBlobs(folder: string, { blobs, missingBlobs }: Manifest, url: string): Promise<number> {
  const store = blobStoreFromEnvironment(url);
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

/**
 * Makes all cursors of the event log from before the restore expire, because the positions of lost
 * events are assigned again. The restored log begins at a cursor that was never assigned: the
 * microseconds since 1970, as positions increase by less than one per microsecond. A column of a
 * later migration, which backups of older versions lack.
 */
const expireCursors = `
  alter table webhooks.deleted_events add column if not exists cursor_offset bigint not null default 0;
  update webhooks.deleted_events set cursor_offset = extract(epoch from clock_timestamp()) * 1000000 - position`;

async function restoreRows(database: pg.Client, folder: string, manifest: Manifest, print: PrintLine): Promise<void> {
  await database.query('begin');
  // Rows may have been written since the first check, so the tables are checked again under a lock
  await database.query(`lock table ${manifest.tables.map(nameOf).join(', ')} in access exclusive mode`);
  await rejectNonEmpty(database);
  for (const table of manifest.tables)
    if (`${table.schema}.${table.table}` in initialRows) await database.query(`delete from ${nameOf(table)}`);
  for (const table of manifest.tables) await restoreTable(database, folder, table, print);
  for (const { schema, sequence, value, isCalled } of manifest.sequences)
    await database.query('select setval($1::regclass, $2, $3)', [`"${schema}"."${sequence}"`, value, isCalled]);
  await database.query(expireCursors);
  print(`${await restoreEvents(database, folder, manifest)} events of the queues`);
  await database.query('commit');
}

async function restoreTable(database: pg.Client, folder: string, table: TableFile, print: PrintLine): Promise<void> {
  const copy = database.query(copyFrom(`copy ${nameOf(table)} (${columnsOf(table)}) from stdin`));
  await pipeline(readLines(folder, table.file), copy);
  if (copy.rowCount !== table.lines)
    throw new BackupFailure(`${nameOf(table)}: ${copy.rowCount} of ${table.lines} rows were copied.`);
  if (table.lines > 0) print(`${table.schema}.${table.table}: ${table.lines} rows`);
}

/** Returns the service that publishes an event, or its subscriber if the name is unknown. */
const publisherOf = ({ subscriber, event: { name } }: QueuedLine): ServiceName =>
  Object.hasOwn(publishers, name) ? publishers[name as keyof typeof publishers] : subscriber;

/**
 * Appends the events of the queues to the outboxes of their publishers, whose relays publish them
 * to all subscribers again. Events that are in an outbox already are omitted. Subscribers that
 * consumed an event before the snapshot have it in their inbox and skip it.
 */
async function restoreEvents(database: pg.Client, folder: string, { events }: Manifest): Promise<number> {
  let restored = 0;
  const restoredIds = new Set<string>();
  for (const schema of serviceNames.map(schemaOf)) {
    const { rows } = await database.query<{ id: string }>(`select id from "${schema}".outbox`);
    for (const { id } of rows) restoredIds.add(id);
  }
  for await (const line of jsonLines(folder, events.file)) {
    const queued = QueuedLine.parse(line);
    const { event } = queued;
    if (restoredIds.has(event.id)) continue;
    restoredIds.add(event.id);
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
