import { checkBackup } from '../backup/check.js';
import { createBackup } from '../backup/create.js';
import type { Manifest } from '../backup/manifest.js';
import { restoreBackup } from '../backup/restore.js';
import { restoreTarget } from '../backup/target.js';
import { directCommand, type Commands, Report } from '../command-line/command.js';
import { printProgress } from '../command-line/progress.js';
import { stores } from '../connections/stores.js';

const folder = { help: 'folder of the backup', value: 'FOLDER', required: true, positional: true } as const;

const secrets =
  'It contains user data and hashes of passwords and tokens: protect it as you protect the database. Personal keys ' +
  'are encrypted in it: they can be shown again only with the same KEY_ENCRYPTION_SECRET, which is not in it.';

function summary(manifest: Manifest) {
  const { takenAt, tables, events, blobs, missingBlobs } = manifest;
  const rows = tables.reduce((sum, { lines }) => sum + lines, 0);
  return { takenAt, tables: tables.length, rows, events: events.lines, blobs: blobs.lines, missingBlobs };
}

/**
 * Returns the report of a backup that was created, restored or verified. Missing blobs do not abort
 * the command; the text lists the first ten, and the exit code is 1.
 */
function reportOf(manifest: Manifest, sentence: string): Report {
  const { takenAt, rows, tables, events, blobs, missingBlobs } = summary(manifest);
  const lines = [
    sentence,
    `As of ${takenAt}: ${rows} rows in ${tables} tables, ${events} events, ${blobs - missingBlobs.length} blobs.`,
    ...(missingBlobs.length > 0
      ? [`${missingBlobs.length} blobs were missing: ${missingBlobs.slice(0, 10).join(', ')}`]
      : []),
  ];
  return new Report(lines.join('\n'), summary(manifest), missingBlobs.length === 0);
}

export const backup: Commands = {
  create: directCommand({
    summary: 'Writes database, queued events and textures of a running stack into a new folder.',
    flags: { folder },
    run: async (flags) => reportOf(await createBackup(stores(), flags.folder, printProgress), secrets),
  }),
  restore: directCommand({
    summary: 'Restores a backup into the empty database and the blob store of a stopped stack.',
    flags: { folder },
    run: async (flags) =>
      reportOf(await restoreBackup(flags.folder, restoreTarget(), printProgress), 'Restored. Start the apps.'),
  }),
  verify: directCommand({
    summary: 'Checks all sizes, counts and hashes of a backup. Needs no database.',
    flags: { folder },
    run: async (flags) => reportOf(await checkBackup(flags.folder), `${flags.folder} is complete.`),
  }),
};
