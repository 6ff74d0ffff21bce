import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Coverage } from './coverage.js';
import { fontFiles } from './fonts.js';

describe('the coverage of our fonts', () => {
  let coverage: Coverage;
  beforeAll(async () => {
    coverage = await Coverage.ofFonts();
  });

  it.each('aé Ж Ω ß 猫 が ー ﾊ ㈱ ★ … “ € 🐈 👨 ⬛ 🇯 🏿 ❤ \u20e3 \u0301 𠮷'.split(' '))('has %s', (character) => {
    expect(coverage.has(character)).toBe(true);
  });

  it.each('ש ع 안 ก \u2800 \ufffe \ud800 \u{10ffff}'.split(' '))('lacks %s', (character) => {
    expect(coverage.has(character)).toBe(false);
  });

  it('is that of each font alone', async () => {
    const [japanese, latin, emoji] = await Promise.all(fontFiles.map((file) => Coverage.ofFonts([file])));
    expect(['猫', 'Ж', '🐈'].map((it) => [japanese!, latin!, emoji!].map((font) => font.has(it)))).toEqual([
      [true, false, false],
      [true, true, false],
      [false, false, true],
    ]);
  });

  it('is not guessed for a file that is no font', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fonts-'));
    const file = join(folder, 'broken.ttf');
    await writeFile(file, Buffer.alloc(64));
    await expect(Coverage.ofFonts([file])).rejects.toThrow('has no character map');
    await writeFile(file, 'x');
    await expect(Coverage.ofFonts([file])).rejects.toThrow('ends too early');
    await rm(folder, { recursive: true });
  });
});
