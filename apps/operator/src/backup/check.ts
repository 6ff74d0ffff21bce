import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BackupFailure } from './failure.js';
import { jsonLines, fileProblem } from './line-file.js';
import { BlobLine, type Manifest, QueuedLine, readManifest } from './manifest.js';

/** Number of problems after which no further blobs are checked. */
const maxProblems = 20;

/**
 * Reads a backup completely: compares size, line count and hash of each file with the manifest and,
 * if no file differs, size and hash of each blob with the list of blobs. Skips blobs that were
 * missing or had other bytes when the backup was taken.
 *
 * @throws BackupFailure if the manifest is missing or invalid, or with the list of differences
 */
export async function checkBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const problems: string[] = [];
  for (const file of [...manifest.tables, manifest.events, manifest.blobs]) {
    const wrong = await fileProblem(folder, file);
    if (wrong !== null) problems.push(wrong);
  }
  if (problems.length === 0) problems.push(...(await wrongLines(folder, manifest)));
  if (problems.length > 0)
    throw new BackupFailure(`${folder} is damaged:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  return manifest;
}

async function wrongLines(folder: string, { events, blobs, missingBlobs }: Manifest): Promise<string[]> {
  const problems: string[] = [];
  const missing = new Set(missingBlobs);
  for await (const line of jsonLines(folder, events.file))
    if (!QueuedLine.safeParse(line).success) problems.push(`${events.file} has a line that is not an event`);
  for await (const line of jsonLines(folder, blobs.file)) {
    if (problems.length >= maxProblems) break;
    const blob = BlobLine.safeParse(line);
    if (!blob.success) problems.push(`${blobs.file} has a line that is not a blob`);
    else if (!missing.has(blob.data.key)) problems.push(...(await wrongWithBlob(folder, blob.data)));
  }
  return problems;
}

async function wrongWithBlob(folder: string, { key, bytes, sha256 }: BlobLine): Promise<string[]> {
  const path = join(folder, 'blobs', key);
  const stats = await stat(path).catch(() => null);
  if (stats === null) return [`${key} is missing`];
  if (stats.size !== bytes) return [`${key} has ${stats.size} bytes instead of ${bytes}`];
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === sha256 ? [] : [`${key} has other bytes than were written`];
}
