import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Coverage } from './font-coverage.files.js';
import { fontFiles } from './font.files.js';

/**
 * Font with one table, `cmap` of format 4: A to C by glyph numbers 1, 0 and 2; E and F by a delta;
 * the final segment.
 */
const smallFont = Buffer.concat([
  Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  Buffer.from('cmap'),
  Buffer.from([0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 58]),
  words(0, 1, 3, 1, 0, 12),
  words(4, 46, 0, 6, 0, 0, 0),
  words(0x43, 0x46, 0xffff, 0),
  words(0x41, 0x45, 0xffff),
  words(0, 0x10000 - 0x40, 1),
  words(6, 0, 0),
  words(1, 0, 2),
]);

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}

describe('coverage of the fonts', () => {
  let coverage: Coverage;
  beforeAll(async () => {
    coverage = await Coverage.ofFonts();
  });

  it.each('aé Ж Ω ß 猫 が ー ﾊ ㈱ ★ … “ € 🐈 👨 ⬛ 🇯 🏿 ❤ \u20e3 \u0301 𠮷 한 ᄀ 这 ש ָ ع َ ک ก ู'.split(' '))(
    'includes %s',
    (character) => {
      expect(coverage.has(character)).toBe(true);
    },
  );

  it.each('த ქ ກ \u2800 \ufffe \uffff \ud800 \u{10ffff}'.split(' '))('excludes %s', (character) => {
    expect(coverage.has(character)).toBe(false);
  });

  it('is correct for each single font, with a large or a small character map', async () => {
    const fonts = await Promise.all(fontFiles.map((file) => Coverage.ofFonts([file])));
    const fontsWith = (character: string): string[] =>
      fontFiles.filter((_, index) => fonts[index]!.has(character)).map((file) => /\/(\w+)_[^/_]*$/.exec(file)![1]!);
    expect(fontsWith('猫')).toEqual(['NotoSansJP', 'NotoSansKR', 'NotoSansSC']);
    expect(fontsWith('这')).toEqual(['NotoSansSC']);
    expect(fontsWith('한')).toEqual(['NotoSansKR']);
    expect(fontsWith('ש')).toEqual(['NotoSansHebrew']);
    expect(fontsWith('ع')).toEqual(['NotoSansArabic']);
    expect(fontsWith('ก')).toEqual(['NotoSansThai']);
    expect(fontsWith('🐈')).toEqual(['NotoColorEmoji']);
  });

  it('excludes code points of a format 4 map that have no glyph', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fonts-'));
    const file = join(folder, 'small.ttf');
    await writeFile(file, smallFont);
    const coverage = await Coverage.ofFonts([file]);
    expect(Array.from('@ABCDEFG\uffff').filter((character) => coverage.has(character))).toEqual(['A', 'C', 'E', 'F']);
    await rm(folder, { recursive: true });
  });

  it('throws for a file that is no font', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fonts-'));
    const file = join(folder, 'broken.ttf');
    await writeFile(file, Buffer.alloc(64));
    await expect(Coverage.ofFonts([file])).rejects.toThrow('has no character map');
    await writeFile(file, 'x');
    await expect(Coverage.ofFonts([file])).rejects.toThrow('ends too early');
    await rm(folder, { recursive: true });
  });
});
