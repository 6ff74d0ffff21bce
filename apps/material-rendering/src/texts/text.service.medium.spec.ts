import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Texture } from '#contracts';
import { runInCall } from '#request-queue';
import { FolderBlobStore } from '#storage';
import { testDatabase, type TestDatabase } from '#testing';
import { sharp } from '../pipeline/sharp.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { keyOf, textureStore } from '../testing/stored-texture.js';
import { TextService } from './text.service.js';
import { TextRenderer } from './text.renderer.js';

const rgb = '#be1e2d';
/** Of no text here: a busy machine needs longer than 8 s for 255 emoji. */
const timeoutMs = 60_000;
/** Those of this process: other tests run beside it. */
const fontFolders = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`storefront-fonts-${process.pid}-`));

/** What is separated by empty columns, from left to right: its width, and the lowest row that it reaches. */
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

describe('writing a texture', () => {
  let db: TestDatabase;
  let folder: string;
  let blobs: FolderBlobStore;
  let writer: TextRenderer;
  let texts: TextService;

  beforeAll(async () => {
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'texts-'));
    blobs = new FolderBlobStore(folder);
    writer = new TextRenderer({ timeoutMs });
    texts = new TextService(writer, blobs, textureStore(db.database, blobs));
  });

  afterAll(async () => {
    writer.onApplicationShutdown();
    await db.close();
    await rm(folder, { recursive: true });
  });

  const write = (text: string): Promise<Texture> => texts.write({ userId: 1, text, rgb });
  const blobOf = async (texture: Texture): Promise<Buffer> => (await blobs.get(await keyOf(db.database, texture)))!;
  const counts = async () => [await db.database.query('select hash from textures'), await readdir(folder)];

  /** Rows and columns that are not empty at the edges, what stands side by side, and the colours of opaque pixels. */
  async function look(texture: Texture) {
    const { data, info } = await sharp(await blobOf(texture))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const alpha = (x: number, y: number): number => data[(y * info.width + x) * info.channels + 3]!;
    const across = Array.from({ length: info.width }, (_, x) => x);
    const down = Array.from({ length: info.height }, (_, y) => y);
    // Millions of pixels: every fourth row and column says the same
    const [columns, rows] = [across, down].map((all) => all.filter((at) => at % 4 === 0)) as [number[], number[]];
    const colours = new Set<string>();
    for (const y of rows) {
      for (const x of columns) {
        const at = (y * info.width + x) * info.channels;
        if (data[at + 3] === 255) colours.add(data.toString('hex', at, at + 3));
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
    return { width, height, channels, edges, colours, lines, boxed, parts: partsOf(lowest) };
  }

  it('stores an image like any other, under the hash of its bytes, measured', async () => {
    const texture = await write('Hello');
    const bytes = await blobOf(texture);
    expect(texture).toMatchObject({ format: 'png', bytes: bytes.length, dominantRgb: rgb });
    expect(texture.hash).toBe(createHash('sha256').update(bytes).digest('hex'));
    const { width, height } = await look(texture);
    const [row] = await db.database.query('select * from textures where hash = $1', [texture.hash]);
    expect(row).toMatchObject({ format: 'png', width, height, bytes: bytes.length, dominant_rgb: rgb });
    expect(texture).toMatchObject({ width, height });
  });

  it('makes the same texture of the same text, and another one of another text or colour', async () => {
    const [one, again, other, blue] = [
      await write('Hello'),
      await write(' Hello\n'),
      await write('Hallo'),
      await texts.write({ userId: 1, text: 'Hello', rgb: '#0000ff' }),
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
    ['a word that nobody could read in one line', 'W'.repeat(255), 15],
    ['lines', 'One\nTwo\n\n\nThree', 3],
    ['two Korean words', '안녕하세요 세계', 2],
    ['a Korean sentence', '아름다운 이 땅에 금수강산에 단군 할아버지가 터 잡으시고', 4],
    ['two Chinese sentences', '今天天气很好，我们去公园散步吧。这个东西真贵！', 5],
    ['Arabic', 'مرحبا بالعالم', 2],
    ['Hebrew', 'שלום עולם', 2],
    ['Thai, whose words have no spaces between them', 'ตลาดนางงามชาวนา', 3],
    ['each script in its line', 'One\nЖар\n中\n사\nسلام\nשש\nงาน', 7],
  ])('fits %s into the box with nothing around it, on a transparent ground', async (_what, text, lines) => {
    const image = await look(await write(text));
    expect(image.edges).toEqual([true, true, true, true]);
    expect(image.channels).toBe(4);
    expect([...image.colours]).toEqual([rgb.slice(1)]);
    expect(image.lines).toBe(lines);
    const longest = Math.max(image.width, image.height);
    expect(longest).toBeGreaterThan(2_400);
    expect(longest).toBeLessThanOrEqual(2_600);
  });

  it('prints a column that is hardly wider than a line', async () => {
    const { width, height } = await look(await write('|\n'.repeat(80)));
    expect(width).toBeLessThan(10);
    expect(height).toBeGreaterThan(2_400);
  });

  it('prints 255 Japanese characters large enough to read', async () => {
    const { width, height } = await look(await write('吾輩は猫である。名前はまだ無い。'.repeat(16).slice(0, 255)));
    // 255 square characters of 90 pixels and more, line spacing not counted
    expect(width * height).toBeGreaterThan(255 * 90 * 90);
  });

  it.each(['🐈‍⬛', '🇯🇵', '1️⃣'])('prints %s in its own colours, as one image', async (emoji) => {
    const { colours, edges, width, height } = await look(await write(emoji));
    expect(edges).toEqual([true, true, true, true]);
    expect(colours.has(rgb.slice(1))).toBe(false);
    expect(colours.size).toBeGreaterThan(1);
    // Two side by side, as a broken sequence is drawn, would be twice as wide
    expect(width / height).toBeLessThan(1.6);
  });

  it.each(Array.from('한这ש'))('has %s, and prints no box in its place', async (letter) => {
    const { boxed, parts } = await look(await write(letter));
    expect(boxed).toBe(false);
    // Marks stand above their letter, not beside it
    expect(parts).toHaveLength(1);
  });

  it.each(['ที่', 'ñ̃', 'בָּ', 'لَّ'])('puts the marks of %s where they belong', async (letter) => {
    expect((await look(await write(letter))).parts).toHaveLength(1);
  });

  it('prints Hebrew from right to left', async () => {
    const { parts } = await look(await write('שו'));
    const [vav, shin] = parts.map((part) => part.width);
    expect(shin).toBeGreaterThan(2 * vav!);
  });

  it('prints Arabic from right to left, and joins its letters unless it is told not to', async () => {
    const [joined, apart] = [await look(await write('سلا')), await look(await write('س\u200cل\u200cا'))];
    expect([joined, apart].map(({ parts }) => parts.length)).toEqual([1, 3]);
    const [alef, , seen] = apart.parts.map((part) => part.width);
    expect(seen).toBeGreaterThan(3 * alef!);
  });

  it.each(['猫 ط', '猫 น', '가 ط', 'H ط'])('puts both scripts of %s on one line', async (text) => {
    const { parts, height } = await look(await write(text));
    expect(Math.abs(parts[0]!.bottom - parts[1]!.bottom)).toBeLessThan(height / 5);
  });

  it('gives way to another process before texts have filled its memory', async () => {
    await writer.write({ text: 'a', rgb });
    const child = writer.childId!;
    for (let text = 0; writer.childId === child; text++) {
      expect(text).toBeLessThan(5);
      // Of another size each time: what is kept of their images serves no other text
      const emoji = Array.from({ length: 255 - 12 * text }, (_, index) => 0x1f300 + ((index * 7) % 250));
      const { measurement } = await writer.write({ text: String.fromCodePoint(...emoji), rgb });
      expect(measurement.kind).toBe('measured');
    }
    await expect(writer.write({ text: 'Hello', rgb })).resolves.toHaveProperty('measurement.kind', 'measured');
  });

  it.each([
    ['spaces only', ' \n\t\u3000', 'text.blank', /not only spaces/],
    ['invisible characters', '\u200b\u202e\u0007', 'text.blank', /not only spaces/],
    ['a script that our fonts lack', 'Erivan Երևան', 'text.not-printable', /Ե \(U\+0535\), ր \(U\+0580\)/],
    ['more than five of them', 'საქართველო', 'text.not-printable', /and 4 more/],
  ])('refuses %s and stores nothing', async (_what, text, code, detail) => {
    const before = await counts();
    const refusal = { kind: { code, status: 422 }, detail: expect.stringMatching(detail) };
    await expect(write(text)).rejects.toMatchObject({
      ...refusal,
      errors: [{ path: 'body.text', message: expect.stringMatching(detail) }],
    });
    await expect(counts()).resolves.toEqual(before);
  });

  it('stores nothing when nobody waits for the answer any more', async () => {
    const before = await counts();
    const caller = new AbortController();
    const written = runInCall({ requestId: 'late', signal: caller.signal }, () => write('Too late'));
    caller.abort();
    await expect(written).rejects.toMatchObject({ kind: { code: 'service.no-answer' } });
    await expect(counts()).resolves.toEqual(before);
  });

  it('knows no font of the machine: letters that ours lack are boxes, all of one size', async () => {
    const sizes = await Promise.all(
      ['ქ', 'ი'].map(async (text) => {
        const { measurement } = await writer.write({ text, rgb });
        return measurement.kind === 'measured' ? `${measurement.width}x${measurement.height}` : measurement.reason;
      }),
    );
    expect(new Set(sizes).size).toBe(1);
  });

  it('prints in our fonts although some of them were removed, by whatever cleans temporary folders', async () => {
    const before = await fontFolders();
    const own = new TextRenderer({ timeoutMs });
    const hashOf = async (): Promise<string> => {
      const { bytes } = await own.write({ text: 'สวัสดี Hello 漢字', rgb });
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

  it('fails rather than gives an image whose fonts were removed meanwhile', async () => {
    const before = await fontFolders();
    const own = new TextRenderer({ timeoutMs });
    const written = own.write({ text: 'สวัสดี', rgb });
    const folder = (await fontFolders()).find((name) => !before.includes(name))!;
    await rm(join(tmpdir(), folder), { recursive: true });
    await expect(written).rejects.toThrow('the fonts were removed');
    own.onApplicationShutdown();
  });

  it('writes with several writers that start at once, alike, and leaves no folder', async () => {
    const before = await fontFolders();
    const writers = [new TextRenderer({ timeoutMs }), new TextRenderer({ timeoutMs })];
    const written = await Promise.all(writers.map((each) => each.write({ text: '猫', rgb })));
    const hashes = written.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));
    expect(new Set(hashes).size).toBe(1);
    expect(await fontFolders()).toHaveLength(before.length + 2);
    for (const each of writers) each.onApplicationShutdown();
    expect(await fontFolders()).toEqual(before);
    await expect(writers[0]!.write({ text: 'a', rgb })).rejects.toThrow('closed');
  });
});
