import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BackupFailure } from './failure.js';
import { jsonLines, wrongWithFile } from './line-file.js';
import { BlobLine, type Manifest, QueuedLine, readManifest } from './manifest.js';

/** More are not worth reading: the backup is lost. */
const problemsAtMost = 20;

/**
 * Reads a whole backup: every file has the bytes and lines, every blob the hash that were written.
 *
 * @throws BackupFailure that names what is not
 */
export async function checkBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const problems: string[] = [];
  for (const file of [...manifest.tables, manifest.events, manifest.blobs]) {
    const wrong = await wrongWithFile(folder, file);
    if (wrong !== null) problems.push(wrong);
  }
  if (problems.length === 0) problems.push(...(await wrongLines(folder, manifest)));
  if (problems.length > 0)
    throw new BackupFailure(`${folder} is damaged:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  return manifest;
}

async function wrongLines(folder: string, { events, blobs, missingBlobs }: Manifest): Promise<string[]> {
  const problems: string[] = [];
  const known = new Set(missingBlobs);
  for await (const line of jsonLines(folder, events.file))
    if (!QueuedLine.safeParse(line).success) problems.push(`${events.file} has a line that is no event`);
  for await (const line of jsonLines(folder, blobs.file)) {
    if (problems.length >= problemsAtMost) break;
    const blob = BlobLine.safeParse(line);
    if (!blob.success) problems.push(`${blobs.file} has a line that is no blob`);
    else if (!known.has(blob.data.key)) problems.push(...(await wrongWithBlob(folder, blob.data)));
  }
  return problems;
}

async function wrongWithBlob(folder: string, { key, bytes, sha256 }: BlobLine): Promise<string[]> {
  const path = join(folder, 'blobs', key);
  const facts = await stat(path).catch(() => null);
  if (facts === null) return [`${key} is missing`];
  if (facts.size !== bytes) return [`${key} has ${facts.size} bytes instead of ${bytes}`];
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === sha256 ? [] : [`${key} has other bytes than were written`];
}
