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
import { TextureRepository } from '../textures/texture.repository.js';
import { TextService } from './text.service.js';
import { TextWriter } from './text.writer.js';

const rgb = '#be1e2d';
const fontFolders = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('storefront-fonts-'));

describe('writing a texture', () => {
  let db: TestDatabase;
  let folder: string;
  let blobs: FolderBlobStore;
  let writer: TextWriter;
  let texts: TextService;

  beforeAll(async () => {
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'texts-'));
    blobs = new FolderBlobStore(folder);
    writer = new TextWriter();
    texts = new TextService(writer, blobs, new TextureRepository(db.database));
  });

  afterAll(async () => {
    writer.onApplicationShutdown();
    await db.close();
    await rm(folder, { recursive: true });
  });

  const write = (text: string): Promise<Texture> => texts.write({ text, rgb });
  const blobOf = async ({ hash }: Texture): Promise<Buffer> => (await blobs.get(`textures/${hash}`))!;
  const counts = async () => [await db.database.query('select hash from textures'), await readdir(folder)];

  /** Rows and columns that are not empty at the edges, and the colours of opaque pixels. */
  async function look(texture: Texture) {
    const { data, info } = await sharp(await blobOf(texture))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const alpha = (x: number, y: number): number => data[(y * info.width + x) * info.channels + 3]!;
    const across = Array.from({ length: info.width }, (_, x) => x);
    const down = Array.from({ length: info.height }, (_, y) => y);
    const colours = new Set<string>();
    for (let i = 0; i < data.length; i += info.channels) {
      if (data[i + 3] === 255) colours.add(data.subarray(i, i + 3).toString('hex'));
    }
    const edges = [
      across.some((x) => alpha(x, 0) > 0),
      across.some((x) => alpha(x, info.height - 1) > 0),
      down.some((y) => alpha(0, y) > 0),
      down.some((y) => alpha(info.width - 1, y) > 0),
    ];
    const filled = down.map((y) => across.some((x) => alpha(x, y) > 0));
    const lines = filled.filter((full, y) => full && filled[y - 1] !== true).length;
    return { width: info.width, height: info.height, channels: info.channels, edges, colours, lines };
  }

  it('stores a picture like any other, under the hash of its bytes, measured', async () => {
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
      await texts.write({ text: 'Hello', rgb: '#0000ff' }),
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
    ['a word that nobody could read in one line', 'W'.repeat(255), 14],
    ['lines', 'One\nTwo\n\n\nThree', 3],
  ])('fits %s into the box with nothing around it, on a transparent ground', async (_what, text, lines) => {
    const picture = await look(await write(text));
    expect(picture.edges).toEqual([true, true, true, true]);
    expect(picture.channels).toBe(4);
    expect([...picture.colours]).toEqual([rgb.slice(1)]);
    expect(picture.lines).toBe(lines);
    const longest = Math.max(picture.width, picture.height);
    expect(longest).toBeGreaterThan(1_850);
    expect(longest).toBeLessThanOrEqual(2_000);
  });

  it('prints a column that is hardly wider than a line', async () => {
    const { width, height } = await look(await write('|\n'.repeat(80)));
    expect(width).toBeLessThan(10);
    expect(height).toBeGreaterThan(1_850);
  });

  it('prints 255 Japanese characters large enough to read', async () => {
    const { width, height } = await look(await write('吾輩は猫である。名前はまだ無い。'.repeat(16).slice(0, 255)));
    // 255 square characters of 90 pixels and more, line spacing not counted
    expect(width * height).toBeGreaterThan(255 * 90 * 90);
  });

  it.each(['🐈‍⬛', '👨‍👩‍👧', '🇯🇵', '1️⃣', '❤️'])('prints %s in its own colours, as one picture', async (emoji) => {
    const { colours, edges, width, height } = await look(await write(emoji));
    expect(edges).toEqual([true, true, true, true]);
    expect(colours.has(rgb.slice(1))).toBe(false);
    expect(colours.size).toBeGreaterThan(1);
    // Two side by side, as a broken sequence is drawn, would be twice as wide
    expect(width / height).toBeLessThan(1.6);
  });

  it.each([
    ['spaces only', ' \n\t\u3000', 'text.blank', /not only spaces/],
    ['invisible characters', '\u200b\u202e\u0007', 'text.blank', /not only spaces/],
    ['a script that our fonts lack', 'Shalom שלום', 'text.not-printable', /ש \(U\+05E9\), ל \(U\+05DC\)/],
    ['more than five of them', '안녕하세요 세계', 'text.not-printable', /and 1 more/],
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
      ['ש', 'ו', 'י'].map(async (text) => {
        const { measurement } = await writer.write({ text, rgb });
        return measurement.kind === 'measured' ? `${measurement.width}x${measurement.height}` : measurement.reason;
      }),
    );
    expect(new Set(sizes).size).toBe(1);
  });

  it('writes with several writers that start at once, alike, and leaves no folder', async () => {
    const before = await fontFolders();
    const writers = Array.from({ length: 3 }, () => new TextWriter());
    const written = await Promise.all(writers.map((each) => each.write({ text: '猫', rgb })));
    const hashes = written.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));
    expect(new Set(hashes).size).toBe(1);
    expect(await fontFolders()).toHaveLength(before.length + 3);
    for (const each of writers) each.onApplicationShutdown();
    expect(await fontFolders()).toEqual(before);
    await expect(writers[0]!.write({ text: 'a', rgb })).rejects.toThrow('closed');
  });
});
