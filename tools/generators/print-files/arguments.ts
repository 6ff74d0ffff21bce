import { parseArgs } from 'node:util';
import { UsageError } from '../../../apps/operator/src/command-line/command.js';

export const help = `Usage: npm run print-files -- [--out FOLDER] [--item NAME]... [--check] [--largest]

Writes the print files of a test image for every print place into a folder (default .data/print-files): PNG, TIFF and PDF.
--item restricts it to the named items.
--check reads the files with programs that are not part of this project, and reports each check. It needs
qpdf, gs, pdfinfo, pdfimages, exiftool, tiffinfo, stream (ImageMagick) and transicc, of the Debian packages
qpdf ghostscript poppler-utils libimage-exiftool-perl libtiff-tools imagemagick liblcms2-utils.
--largest measures the largest print area instead: TIFF and PDF in CMYK of 300 dpi.`;

export interface Arguments {
  readonly out: string;
  /** All items if empty. */
  readonly items: readonly string[];
  readonly check: boolean;
  readonly largest: boolean;
}

/** Returns null if the help is wanted. @param known names of items */
export function readArguments(args: readonly string[], known: readonly string[]): Arguments | null {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        out: { type: 'string', default: '.data/print-files' },
        item: { type: 'string', multiple: true, default: [] },
        check: { type: 'boolean', default: false },
        largest: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${help}`);
  }
  if (values.help) return null;
  const unknown = values.item.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`--item ${unknown}: unknown item; known are ${known.join(', ')}`);
  return { out: values.out, items: values.item, check: values.check, largest: values.largest };
}
