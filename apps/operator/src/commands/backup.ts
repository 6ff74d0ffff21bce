import { checkBackup } from '../backup/check.js';
import { createBackup } from '../backup/create.js';
import type { Manifest } from '../backup/manifest.js';
import { restoreBackup } from '../backup/restore.js';
import { restoreTarget } from '../backup/target.js';
import { commandAside, type Commands, Report } from '../command-line/command.js';
import { stores } from '../connections/stores.js';

const folder = { help: 'its folder', value: 'FOLDER', required: true, positional: true } as const;

/** Beside the result, which is for programs. */
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const secrets =
  'It holds what your users have, with hashes of passwords and tokens: keep it as safe as the database. Personal keys ' +
  'are encrypted in it: they can be shown again only with the same KEY_ENCRYPTION_SECRET, which is not in it.';

function summary(manifest: Manifest) {
  const { takenAt, tables, events, blobs, missingBlobs } = manifest;
  const rows = tables.reduce((sum, { lines }) => sum + lines, 0);
  return { takenAt, tables: tables.length, rows, events: events.lines, blobs: blobs.lines, missingBlobs };
}

/** A backup without a blob is better than none, and bad news. */
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
  create: commandAside({
    summary: 'Writes database, queued events and textures of a running stack into a new folder.',
    flags: { folder },
    run: async (flags) => reportOf(await createBackup(stores(), flags.folder, say), secrets),
  }),
  restore: commandAside({
    summary: 'Puts a backup into the empty database and the blob store of a stack that is not running.',
    flags: { folder },
    run: async (flags) =>
      reportOf(await restoreBackup(flags.folder, restoreTarget(), say), 'Restored. Start the apps.'),
  }),
  verify: commandAside({
    summary: 'Reads a backup and compares all sizes, counts and hashes. Needs no database.',
    flags: { folder },
    run: async (flags) => reportOf(await checkBackup(flags.folder), `${flags.folder} is whole.`),
  }),
};
