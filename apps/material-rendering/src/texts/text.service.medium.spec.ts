import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Texture } from '#contracts';
import { runInCall } from '#request-queue';
import { FolderBlobStore } from '#storage';
import { testDatabase, type TestDatabase } from '#testing';
import { sharp } from '#images';
import { TextureEntity } from '../textures/texture.entity.js';
import { keyOf, textureStore } from '../testing/stored-texture.js';
import { TextService } from './text.service.js';
import { TextRenderer } from './text.renderer.js';

const rgb = '#be1e2d';
/** Longer than the default of 8 s, because a busy machine needs more for 255 emoji. */
const timeoutMs = 60_000;
/** Returns the font folders of this process, because other tests run at the same time. */
const fontFolders = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`storefront-fonts-${process.pid}-`));

/**
 * Returns the parts that empty columns separate, from left to right: width, and lowest visible row.
 */
function partsOf(lowest: readonly number[]) {
  const parts: { width: number; bottom: number }[] = [];
  for (const [x, row] of lowest.entries()) {
    if (row < 0) continue;
    if ((lowest[x - 1] ?? -1) < 0) parts.push({ width: 0, bottom: 0 });
    const part = parts.at(-1)!;
    part.width += 1;
    part.bottom = Math.max(part.bottom, row);
  }
  return parts;
}

describe('TextService', () => {
  let db: TestDatabase;
  let folder: string;
  let blobs: FolderBlobStore;
  let renderer: TextRenderer;
  let texts: TextService;

  beforeAll(async () => {
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'texts-'));
    blobs = new FolderBlobStore(folder);
    renderer = new TextRenderer({ timeoutMs });
    texts = new TextService(renderer, blobs, textureStore(db.database, blobs));
  });

  afterAll(async () => {
    renderer.onApplicationShutdown();
    await db.close();
    await rm(folder, { recursive: true });
  });

  const write = (text: string): Promise<Texture> => texts.render({ userId: 1, text, rgb });
  const blobOf = async (texture: Texture): Promise<Buffer> => (await blobs.get(await keyOf(db.database, texture)))!;
  const counts = async () => [await db.database.query('select hash from textures'), await readdir(folder)];

  /**
   * Describes the image: whether each edge is visible, parts side by side, lines, and colors of
   * opaque pixels.
   */
  async function describeImage(texture: Texture) {
    const { data, info } = await sharp(await blobOf(texture))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const alpha = (x: number, y: number): number => data[(y * info.width + x) * info.channels + 3]!;
    const across = Array.from({ length: info.width }, (_, x) => x);
    const down = Array.from({ length: info.height }, (_, y) => y);
    // Every fourth row and column, because there are millions of pixels
    const [columns, rows] = [across, down].map((all) => all.filter((at) => at % 4 === 0)) as [number[], number[]];
    const colors = new Set<string>();
    for (const y of rows) {
      for (const x of columns) {
        const at = (y * info.width + x) * info.channels;
        if (data[at + 3] === 255) colors.add(data.toString('hex', at, at + 3));
      }
    }
    const edges = [
      across.some((x) => alpha(x, 0) > 0),
      across.some((x) => alpha(x, info.height - 1) > 0),
      down.some((y) => alpha(0, y) > 0),
      down.some((y) => alpha(info.width - 1, y) > 0),
    ];
    const boxed = [0, info.height - 1].every((y) => across.every((x) => alpha(x, y) > 0));
    const filled = rows.map((y) => columns.some((x) => alpha(x, y) > 0));
    const lines = filled.filter((full, row) => full && filled[row - 1] !== true).length;
    const lowest = columns.map((x) => rows.findLast((y) => alpha(x, y) > 0) ?? -1);
    const { width, height, channels } = info;
    return { width, height, channels, edges, colors, lines, boxed, parts: partsOf(lowest) };
  }

  it('stores the printable text and its color, from which print files have curves', async () => {
    const { hash } = await write('  Hello\r\nworld ');
    const rows = await db.database.query('select text from textures where hash = $1', [hash]);
    expect(rows).toEqual([{ text: { text: 'Hello\nworld', rgb } }]);
  });

  it('stores the image under the hash of its bytes, with its measurement', async () => {
    const texture = await write('Hello');
    const bytes = await blobOf(texture);
    expect(texture).toMatchObject({ format: 'png', bytes: bytes.length, dominantRgb: rgb });
    expect(texture.hash).toBe(createHash('sha256').update(bytes).digest('hex'));
    const { width, height } = await describeImage(texture);
    const [row] = await db.database.query('select * from textures where hash = $1', [texture.hash]);
    expect(row).toMatchObject({ format: 'png', width, height, bytes: bytes.length, dominant_rgb: rgb });
    expect(texture).toMatchObject({ width, height });
  });

  it('returns the same texture for the same text, and a different one for another text or color', async () => {
    const [one, again, other, blue] = [
      await write('Hello'),
      await write(' Hello\n'),
      await write('Hallo'),
      await texts.render({ userId: 1, text: 'Hello', rgb: '#0000ff' }),
    ];
    expect(again).toEqual(one);
    expect(new Set([one, other, blue].map(({ hash }) => hash)).size).toBe(3);
  });

  it.each([
    ['a word', 'Hello', 1],
    ['a full stop', '.', 1],
    ['one character', '猫', 1],
    ['two Japanese phrases', 'こんにちは世界', 2],
    ['markup', `<b>&"'`, 1],
    ['a very long word', 'Donaudampfschifffahrtsgesellschaftskapitän', 1],
    ['a word that would be too small in one line', 'W'.repeat(255), 15],
    ['lines', 'One\nTwo\n\n\nThree', 3],
    ['two Korean words', '안녕하세요 세계', 2],
    ['a Korean sentence', '아름다운 이 땅에 금수강산에 단군 할아버지가 터 잡으시고', 4],
    ['two Chinese sentences', '今天天气很好，我们去公园散步吧。这个东西真贵！', 5],
    ['Arabic', 'مرحبا بالعالم', 2],
    ['Hebrew', 'שלום עולם', 2],
    ['Thai, which has no spaces between words', 'ตลาดนางงามชาวนา', 3],
    ['one script per line', 'One\nЖар\n中\n사\nسلام\nשש\nงาน', 7],
  ])('fits %s into the box without margins, on a transparent background', async (_what, text, lines) => {
    const image = await describeImage(await write(text));
    expect(image.edges).toEqual([true, true, true, true]);
    expect(image.channels).toBe(4);
    expect([...image.colors]).toEqual([rgb.slice(1)]);
    expect(image.lines).toBe(lines);
    const longest = Math.max(image.width, image.height);
    expect(longest).toBeGreaterThan(2_400);
    expect(longest).toBeLessThanOrEqual(2_600);
  });

  it('renders a column that is hardly wider than a line', async () => {
    const { width, height } = await describeImage(await write('|\n'.repeat(80)));
    expect(width).toBeLessThan(10);
    expect(height).toBeGreaterThan(2_400);
  });

  it('renders 255 Japanese characters at a readable size', async () => {
    const { width, height } = await describeImage(
      await write('吾輩は猫である。名前はまだ無い。'.repeat(16).slice(0, 255)),
    );
    // 255 square characters of 90 pixels and more, line spacing not counted
    expect(width * height).toBeGreaterThan(255 * 90 * 90);
  });

  it.each(['🐈‍⬛', '🇯🇵', '1️⃣'])('renders the emoji %s in its own colors, as one glyph', async (emoji) => {
    const { colors, edges, width, height } = await describeImage(await write(emoji));
    expect(edges).toEqual([true, true, true, true]);
    expect(colors.has(rgb.slice(1))).toBe(false);
    expect(colors.size).toBeGreaterThan(1);
    // A broken sequence is rendered as two glyphs side by side, twice as wide
    expect(width / height).toBeLessThan(1.6);
  });

  it.each(Array.from('한这ש'))('renders %s, not the box of a missing glyph', async (letter) => {
    const { boxed, parts } = await describeImage(await write(letter));
    expect(boxed).toBe(false);
    // Marks are above their letter, not beside it
    expect(parts).toHaveLength(1);
  });

  it.each(['ที่', 'ñ̃', 'בָּ', 'لَّ'])('places the marks of %s at their letter', async (letter) => {
    expect((await describeImage(await write(letter))).parts).toHaveLength(1);
  });

  it('renders Hebrew from right to left', async () => {
    const { parts } = await describeImage(await write('שו'));
    const [vav, shin] = parts.map((part) => part.width);
    expect(shin).toBeGreaterThan(2 * vav!);
  });

  it('renders Arabic from right to left, and joins letters without a non-joiner between them', async () => {
    const [joined, apart] = [
      await describeImage(await write('سلا')),
      await describeImage(await write('س\u200cل\u200cا')),
    ];
    expect([joined, apart].map(({ parts }) => parts.length)).toEqual([1, 3]);
    const [alef, , seen] = apart.parts.map((part) => part.width);
    expect(seen).toBeGreaterThan(3 * alef!);
  });

  it.each(['猫 ط', '猫 น', '가 ط', 'H ط'])('aligns both scripts of %s on one line', async (text) => {
    const { parts, height } = await describeImage(await write(text));
    expect(Math.abs(parts[0]!.bottom - parts[1]!.bottom)).toBeLessThan(height / 5);
  });

  it('replaces the child process before texts have filled its memory', async () => {
    await renderer.render({ text: 'a', rgb });
    const child = renderer.childId!;
    for (let text = 0; renderer.childId === child; text++) {
      expect(text).toBeLessThan(5);
      // A different size each time, so that cached glyphs are not reused
      const emoji = Array.from({ length: 255 - 12 * text }, (_, index) => 0x1f300 + ((index * 7) % 250));
      const { measurement } = await renderer.render({ text: String.fromCodePoint(...emoji), rgb });
      expect(measurement.kind).toBe('measured');
    }
    await expect(renderer.render({ text: 'Hello', rgb })).resolves.toHaveProperty('measurement.kind', 'measured');
  });

  it.each([
    ['spaces only', ' \n\t\u3000', 'text.blank', /not only spaces/],
    ['invisible characters', '\u200b\u202e\u0007', 'text.blank', /not only spaces/],
    ['a script that is in none of the fonts', 'Erivan Երևան', 'text.not-printable', /Ե \(U\+0535\), ր \(U\+0580\)/],
    ['more than five such characters', 'საქართველო', 'text.not-printable', /and 4 more/],
  ])('rejects %s and stores nothing', async (_what, text, code, detail) => {
    const before = await counts();
    const rejection = { kind: { code, status: 422 }, detail: expect.stringMatching(detail) };
    await expect(write(text)).rejects.toMatchObject({
      ...rejection,
      errors: [{ path: 'body.text', message: expect.stringMatching(detail) }],
    });
    await expect(counts()).resolves.toEqual(before);
  });

  it('stores nothing after the call was aborted', async () => {
    const before = await counts();
    const caller = new AbortController();
    const result = runInCall({ requestId: 'late', signal: caller.signal }, () => write('Too late'));
    caller.abort();
    await expect(result).rejects.toMatchObject({ kind: { code: 'service.no-answer' } });
    await expect(counts()).resolves.toEqual(before);
  });

  it('uses no font of the machine: characters without a glyph are boxes of one size', async () => {
    const sizes = await Promise.all(
      ['ქ', 'ი'].map(async (text) => {
        const { measurement } = await renderer.render({ text, rgb });
        return measurement.kind === 'measured' ? `${measurement.width}x${measurement.height}` : measurement.reason;
      }),
    );
    expect(new Set(sizes).size).toBe(1);
  });

  it('restores font files that were removed from the temporary folder', async () => {
    const before = await fontFolders();
    const own = new TextRenderer({ timeoutMs });
    const hashOf = async (): Promise<string> => {
      const { bytes } = await own.render({ text: 'สวัสดี Hello 漢字', rgb });
      return createHash('sha256').update(bytes).digest('hex');
    };
    const first = await hashOf();
    for (const removed of ['.', 'fonts.conf', 'fonts/NotoSansThai_700Bold.ttf']) {
      const folder = (await fontFolders()).find((name) => !before.includes(name))!;
      await rm(join(tmpdir(), folder, removed), { recursive: true });
      expect({ removed, hash: await hashOf() }).toEqual({ removed, hash: first });
    }
    own.onApplicationShutdown();
    expect(await fontFolders()).toEqual(before);
  });

  it('throws when the fonts are removed during rendering', async () => {
    const before = await fontFolders();
    const own = new TextRenderer({ timeoutMs });
    const result = own.render({ text: 'สวัสดี', rgb });
    const folder = (await fontFolders()).find((name) => !before.includes(name))!;
    await rm(join(tmpdir(), folder), { recursive: true });
    await expect(result).rejects.toThrow('the fonts were removed');
    own.onApplicationShutdown();
  });

  it('renders the same image in renderers that start at the same time, and removes their folders', async () => {
    const before = await fontFolders();
    const renderers = [new TextRenderer({ timeoutMs }), new TextRenderer({ timeoutMs })];
    const results = await Promise.all(renderers.map((each) => each.render({ text: '猫', rgb })));
    const hashes = results.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));
    expect(new Set(hashes).size).toBe(1);
    expect(await fontFolders()).toHaveLength(before.length + 2);
    for (const each of renderers) each.onApplicationShutdown();
    expect(await fontFolders()).toEqual(before);
    await expect(renderers[0]!.render({ text: 'a', rgb })).rejects.toThrow(/service.unavailable.*stopping/);
  });
});
