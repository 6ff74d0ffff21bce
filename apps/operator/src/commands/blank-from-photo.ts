import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkBundle, openBundle } from '#blanks';
import { bundleFromPhotos, writeBundleFiles } from '#mockups';
import { directCommand, Report } from '../command-line/command.js';
import { printable } from '../command-line/table.js';
import { drawReports } from '../drawing/draw-reports.js';
import { noteLines, shippedLists, shippedNotes } from './blank-catalog.js';

/** Files that a person may have edited: an existing one is kept. */
const edited = ['item.json', 'icon.svg'];

/** Makes a bundle from photos: docs/own-items.md. */
export const fromPhoto = directCommand({
  summary: 'Makes a bundle from photos of a blank, and drawings that compare it with the photos.',
  flags: {
    path: {
      help: 'JSON description of the photos: docs/own-items.md',
      value: 'DESCRIPTION',
      required: true,
      positional: true,
    },
    out: { help: 'folder of the bundle; the drawings are in OUT-report', value: 'OUT', required: true },
  },
  run: async ({ path, out }) => {
    const { name, files, angles } = await bundleFromPhotos(path);
    const kept = edited.filter((file) => existsSync(join(out, file)));
    await writeBundleFiles(out, new Map([...files].filter(([file]) => !kept.includes(file))));
    const reports = await drawReports(`${out}-report`, { name, files, angles });
    const { content, errors } = await checkBundle(await openBundle(out), shippedLists());
    const notes = content ? shippedNotes(content) : [];
    const lines = [
      ...reports.map((report) => `${report.file}: ${report.text}`),
      ...kept.map((file) => `${join(out, file)}: exists, and was kept.`),
      ...noteLines(notes),
      ...errors.map((error) => `${error.path}: ${error.message}`),
      errors.length === 0
        ? `${name} is in ${out}. No mistake.`
        : `${name} is in ${out}, with ${errors.length} mistake(s).`,
    ];
    const data = { item: name, folder: out, reports, kept, errors, notes };
    return new Report(lines.map(printable).join('\n'), data, errors.length === 0);
  },
});
