import { parseArgs } from 'node:util';
import { UsageError } from '../../../apps/operator/src/command-line/command.js';

export const help = `Usage: npm run contact-sheet -- [--out FOLDER] [--item NAME]...

Renders every item from every angle in every color with three artworks, and writes a page with all images into FOLDER
(default .data/contact-sheet): small images on the page, with links to large ones. --item restricts it to the named items.
No running stack is required.`;

interface Wanted {
  readonly out: string;
  /** Names of items; empty for all. */
  readonly items: readonly string[];
}

/**
 * @param drawn items with images
 * @returns undefined for --help
 * @throws UsageError with a one-line message
 */
export function readArguments(words: readonly string[], drawn: readonly string[]): Wanted | undefined {
  const { out, item: items, help: wantsHelp } = parse(words);
  if (wantsHelp) return undefined;
  if (out === '') throw new UsageError('--out needs a folder.');
  const unknown = items.find((name) => !drawn.includes(name));
  if (unknown !== undefined) throw new UsageError(`There are no images of ${unknown}, only of ${drawn.join(', ')}.`);
  return { out, items };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        out: { type: 'string', default: '.data/contact-sheet' },
        item: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
