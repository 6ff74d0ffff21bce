import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { readArguments } from './arguments.js';
import { checks, missingPrograms, textChecks } from './checks.js';
import { drawPlace, drawTexts, type PrintFiles, type TextFiles } from './draw.js';

const { items } = readCatalogFiles(blanksFolder);
/** CMYK with bleed, RGB below white ink, and a mirrored print. */
const names = ['can-badge', 'acrylic-keychain', 'towel-handkerchief'];

const missing = missingPrograms();
const required = (process.env.REQUIRE_COMMANDS ?? '').split(' ').filter((name) => missing.includes(name));
if (required.length > 0) throw new Error(`REQUIRE_COMMANDS: ${required.join()} not found`);
if (missing.length > 0) process.stderr.write(`Checks of print files are skipped without ${missing.join(', ')}\n`);

// The programs are Debian packages, which `npm test` does not install: a machine without them skips
// these tests with the message above
(missing.length === 0 ? describe : describe.skip)('print files, read by other programs', () => {
  let folder: string;
  const all = new Map<string, PrintFiles>();
  let texts: TextFiles[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'print-files-'));
    for (const name of names) {
      const item = items.find((it) => it.name === name)!;
      all.set(name, await drawPlace(item, item.printPlaces[0]!, folder));
    }
    texts = await drawTexts(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(names.flatMap((name) => checks.map(({ title, verify }) => [name, title, verify] as const)))(
    '%s: %s',
    (name, _, verify) => verify(all.get(name)!),
  );

  it.each(textChecks)('$title', ({ verify }) => texts.forEach(verify));
});

describe('npm run print-files', () => {
  it('writes the files of all items by default', () => {
    expect(readArguments([], ['mug'])).toEqual({ out: '.data/print-files', items: [], check: false, largest: false });
    expect(readArguments(['--item', 'mug', '--check'], ['mug'])).toMatchObject({ items: ['mug'], check: true });
    expect(readArguments(['--help'], [])).toBeNull();
  });

  it('rejects unknown items and flags', () => {
    expect(() => readArguments(['--item', 'cup'], ['mug'])).toThrow('--item cup: unknown item; known are mug');
    expect(() => readArguments(['--fax'], ['mug'])).toThrow("Unknown option '--fax'");
  });
});
