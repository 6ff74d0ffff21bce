import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { serviceNames } from '#contracts';
import { BackupFailure } from './failure.js';

/** Version of the layout below. Other versions are rejected. */
export const format = 1;

const sha256 = z.hex().length(64);
const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

/** A compressed file of lines. `bytes` and `sha256` are those of the compressed file. */
const LineFile = z.object({
  file: z.string().regex(/^[a-z0-9_.-]+$/),
  lines: z.int().min(0),
  bytes: z.int().min(0),
  sha256,
});
export type LineFile = z.output<typeof LineFile>;

const Table = LineFile.extend({ schema: name, table: name, columns: z.array(name).min(1) });
export type TableFile = z.output<typeof Table>;

const Sequence = z.object({ schema: name, sequence: name, value: z.int().min(1), isCalled: z.boolean() });
export type SequenceState = z.output<typeof Sequence>;

/** Manifest, which lists the content of a backup. It is written after all other files. */
export const Manifest = z.object({
  format: z.literal(format),
  /** Time of the snapshot: ISO 8601, UTC, by the clock of the database. */
  takenAt: z.iso.datetime(),
  /** Names of the applied migrations, in order. */
  migrations: z.record(z.enum(serviceNames), z.array(z.string())),
  /** Ordered so that foreign keys refer to earlier tables. */
  tables: z.array(Table),
  sequences: z.array(Sequence),
  /** Events in the queues, one JSON object per line: `QueuedLine`. */
  events: LineFile,
  /**
   * Blobs, one JSON object per line: `BlobLine`. Each is stored in the folder `blobs` by its key.
   */
  blobs: LineFile,
  /** Keys of blobs of the list that were missing from the blob store or had other bytes. */
  missingBlobs: z.array(z.string()),
});
export type Manifest = z.output<typeof Manifest>;

export const BlobLine = z.object({
  /** The name of an icon is its hash; in backups of earlier versions it is that of its item. */
  key: z
    .string()
    .regex(/^(?:textures\/[0-9a-f]{64}(\.[0-9a-f]{16})?|layers\/[0-9a-f]{64}|icons\/[a-z0-9-]{1,64}\.(?:svg|png))$/),
  bytes: z.int(),
  sha256,
});
export type BlobLine = z.output<typeof BlobLine>;

export const QueuedLine = z.object({
  subscriber: z.enum(serviceNames),
  event: z.object({
    id: z.uuid(),
    name: z.string(),
    version: z.int(),
    occurredAt: z.iso.datetime(),
    payload: z.looseObject({}),
    metadata: z.record(z.string(), z.string()),
  }),
});
export type QueuedLine = z.output<typeof QueuedLine>;

/** @throws BackupFailure if the manifest is missing, damaged or of another format */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(folder, 'manifest.json'), 'utf8');
  } catch {
    throw new BackupFailure(`${folder} is not a backup: it has no manifest.json.`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new BackupFailure(`${folder}: manifest.json is truncated or damaged.`);
  }
  const found = z.looseObject({ format: z.unknown() }).safeParse(content).data?.format;
  if (found !== format)
    throw new BackupFailure(`${folder}: this program reads backups of format ${format}, not ${String(found)}.`);
  const manifest = Manifest.safeParse(content);
  if (manifest.success) return manifest.data;
  const [issue] = manifest.error.issues;
  throw new BackupFailure(`${folder}: manifest.json is damaged (${issue!.path.join('.')}: ${issue!.message}).`);
}
