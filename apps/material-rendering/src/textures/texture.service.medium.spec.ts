import { createHash } from 'node:crypto';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { problems, type Texture, type TextureSource } from '#contracts';
import { runInCall } from '#request-queue';
import type { FolderBlobStore } from '#storage';
import { collectGarbage, eventually } from '#testing';
import { decodeLevel } from '#rendering/level.js';
import { sharp } from '#images';
import { keyOf } from '../testing/stored-texture.js';
import { TextureIntake } from '../testing/texture-intake.js';
import { TextureDecoder } from './texture.decoder.js';
import { bombPng, testImage } from './testing/test-images.js';
import { TextureRepository } from './texture.repository.js';
import type { TextureService } from './texture.service.js';
import { UploadSweeper } from './upload.sweeper.js';

const rejection = (code: string, detail: RegExp) => ({
  kind: { code, status: 422 },
  detail: expect.stringMatching(detail),
});

describe('TextureService', () => {
  let intake: TextureIntake;
  let blobs: FolderBlobStore;
  let decoder: TextureDecoder;
  let textures: TextureService;
  let address: string;
  let decoded = 0;

  beforeAll(async () => {
    intake = await TextureIntake.open();
    blobs = intake.blobs;
    address = intake.addressOf('cat.png');
    decoder = new TextureDecoder({ timeoutMs: 60_000 });
    const measure = decoder.measure.bind(decoder);
    decoder.measure = (path) => {
      decoded += 1;
      return measure(path);
    };
    textures = intake.serviceWith(decoder);
  });

  afterAll(async () => {
    decoder.onApplicationShutdown();
    await intake.close();
  });

  beforeEach(() => {
    decoded = 0;
  });

  const keys = (below: string) => intake.keys(below);
  const upload = (bytes: Buffer) => intake.upload(bytes);
  const serve = (bytes: Buffer): void => {
    intake.served = { bytes };
  };
  const rows = () => intake.db.database.query<Record<string, unknown>>('select * from textures order by created_at');

  const storeOne = async (source: TextureSource): Promise<Texture> => (await textures.store(1, [source]))[0]!;
  const uploaded = async (bytes: Buffer): Promise<TextureSource> => ({ kind: 'upload', key: await upload(bytes) });
  const everything = async () => [await rows(), await keys('textures'), await keys('uploads')];

  it.each([
    ['an empty file', () => Buffer.alloc(0), 'texture.empty', /image is empty/],
    ['text', () => Buffer.from('hello'), 'texture.unsupported-format', /text.*5 bytes/],
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'texture.unsupported-format', /SVG/],
    [
      'half an image',
      async () => half(await testImage({ format: 'png', width: 300, height: 300, noise: true })),
      'texture.not-decoded',
      /damaged/,
    ],
    ['a bomb', () => bombPng(30_000), 'texture.too-large', /50 million pixels/],
    ['more than 20 MB', () => Buffer.alloc(20 * 1024 * 1024 + 1), 'texture.too-large', /more than 20 MB/],
  ])('rejects %s, by URL and as an upload, and stores nothing', async (_what, make, code, detail) => {
    const image = await make();
    serve(image);
    await expect(storeOne({ kind: 'url', url: address })).rejects.toMatchObject(rejection(code, detail));
    await expect(storeOne({ kind: 'url', url: address })).rejects.toMatchObject(rejection(code, /HTTP 200/));
    const key = await upload(image);
    await expect(storeOne({ kind: 'upload', key })).rejects.toMatchObject(rejection(code, detail));
    await expect(rows()).resolves.toEqual([]);
    await expect(keys('textures')).resolves.toEqual([]);
    await expect(keys('uploads')).resolves.toEqual([]);
  });

  it.each([
    ['upload', 'fetched', '#112233'],
    ['fetched', 'upload', '#332211'],
  ])('stores nothing of a valid image (%s) with an invalid one (%s) in the same request', async (good, _bad, color) => {
    const before = await everything();
    const image = await testImage({ format: 'png', width: 60, height: 40, color });
    const text = Buffer.from('hello');
    serve(good === 'fetched' ? image : text);
    const fetched: TextureSource = { kind: 'url', url: address };
    const sources = good === 'fetched' ? [fetched, await uploaded(text)] : [await uploaded(image), fetched];
    await expect(textures.store(1, sources)).rejects.toMatchObject({
      ...rejection('texture.unsupported-format', /text/),
      errors: [{ path: 'sources.1', message: expect.stringContaining('text') }],
    });
    expect(decoded).toBe(1);
    await expect(everything()).resolves.toEqual(before);
  });

  it('lists both of two invalid images in the error of the first one', async () => {
    const before = await everything();
    const good = await testImage({ format: 'png', width: 60, height: 40 });
    const sources = [await uploaded(good), await uploaded(Buffer.from('hello')), await uploaded(Buffer.alloc(0))];
    await expect(textures.store(1, sources)).rejects.toMatchObject({
      ...rejection('texture.unsupported-format', /text/),
      errors: [
        { path: 'sources.1', message: expect.stringContaining('text') },
        { path: 'sources.2', message: expect.stringContaining('empty') },
      ],
    });
    await expect(everything()).resolves.toEqual(before);
  });

  it('lists each image that exceeds the quota, and stores nothing', async () => {
    const before = await everything();
    const small = await testImage({ format: 'png', width: 20, height: 20, color: '#101112' });
    const large = await testImage({ format: 'png', width: 60, height: 40, noise: true });
    const sources = [await uploaded(small), await uploaded(large), await uploaded(large)];
    const message = expect.stringMatching(/^the quota of images is exceeded: 0 of \d+ bytes are used, and \d+ more/);
    await expect(intake.serviceWith(decoder, small.length + 10).store(7, sources)).rejects.toMatchObject({
      kind: { code: 'texture.quota-exceeded', status: 422 },
      errors: [
        { path: 'sources.1', message },
        { path: 'sources.2', message },
      ],
    });
    await expect(everything()).resolves.toEqual(before);
  });

  it('stores nothing when the caller has disconnected', async () => {
    const before = await everything();
    const sources = [await uploaded(await testImage({ format: 'png', width: 61, height: 41 }))];
    const caller = new AbortController();
    const find = jest.spyOn(TextureRepository.prototype, 'find').mockImplementationOnce(() => {
      caller.abort();
      return Promise.resolve(null);
    });
    const taken = runInCall({ requestId: 'late', signal: caller.signal }, () => textures.store(1, sources));
    await expect(taken).rejects.toMatchObject({ kind: problems['service.no-answer'] });
    find.mockRestore();
    expect(decoded).toBe(1);
    await expect(everything()).resolves.toEqual(before);
  });

  it('has less than half of the bytes of downloads in memory, and deletes the rejected ones', async () => {
    const [count, size, piece] = [24, 4 * 1024 * 1024, 128 * 1024];
    const bytes = Buffer.concat([Buffer.from('hello'), Buffer.alloc(size - 5, 'x')]);
    const uploads = join(intake.folder, 'uploads');
    const onDisk = async (): Promise<number> => {
      const names = await readdir(uploads).catch(() => []);
      return (await Promise.all(names.map((name) => stat(join(uploads, name))))).reduce(
        (sum, file) => sum + file.size,
        0,
      );
    };
    // All responses continue with the next piece when the last one is on disk
    const steps = new Map<number, Promise<unknown>>();
    const step = (sent: number): Promise<unknown> => {
      const existing = steps.get(sent) ?? eventually('pieces on disk', async () => (await onDisk()) === count * sent);
      steps.set(sent, existing);
      return existing;
    };
    intake.served = {
      bytes: async function* () {
        for (let sent = 0; sent < size; sent += piece) {
          await step(sent);
          yield bytes.subarray(sent, sent + piece);
        }
      },
    };
    // 3 MB arrive at once; all downloads are 96 MB
    const limit = size * (count / 2);
    const before = await everything();
    collectGarbage();
    const atStart = process.memoryUsage().arrayBuffers;
    const used = () => process.memoryUsage().arrayBuffers - atStart;
    let peak = 0;
    const watch = setInterval(() => {
      if (used() < limit) return;
      // Exclude unreferenced memory that is not collected yet
      collectGarbage();
      peak = Math.max(peak, used());
    }, 5);
    const outcomes = await Promise.allSettled(
      Array.from({ length: count }, (_, userId) => textures.store(userId, [{ kind: 'url', url: address }])),
    );
    clearInterval(watch);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(count).fill('rejected'));
    expect(outcomes[0]).toMatchObject({
      reason: rejection('texture.unsupported-format', /text.*HTTP 200, 4194304 bytes/),
    });
    expect(peak).toBeLessThan(limit);
    await expect(everything()).resolves.toEqual(before);
    await expect(readdir(join(intake.folder, '.partial'))).resolves.toEqual([]);
  });

  it('stores an image by the hash of its bytes and returns its properties', async () => {
    const served = await testImage({ format: 'png', width: 200, height: 100, color: '#274b6d' });
    serve(served);
    const taken = await storeOne({ kind: 'url', url: address });
    expect(taken).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      format: 'png',
      width: 200,
      height: 100,
      bytes: served.length,
      dominantRgb: '#274b6d',
      animated: false,
    });
    await expect(intake.stored(taken)).resolves.toEqual(served);
    await expect(rows()).resolves.toMatchObject([{ hash: taken.hash, width: 200, dominant_rgb: '#274b6d' }]);
  });

  it('returns that an image is animated, also when it is stored already', async () => {
    const frames = await Promise.all(
      ['#ff0000', '#0000ff'].map((color) => testImage({ format: 'png', width: 9, height: 9, color })),
    );
    serve(
      await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer(),
    );
    for (const expected of [1, 1]) {
      await expect(storeOne({ kind: 'url', url: address })).resolves.toMatchObject({ format: 'gif', animated: true });
      expect(decoded).toBe(expected);
    }
  });

  it('stores a photograph upright and without its location, with the same hash for other metadata', async () => {
    const photograph = (location: string) =>
      sharp({ create: { width: 60, height: 40, channels: 3, background: '#274b6d', noise } })
        .withExif({ IFD3: { GPSMapDatum: location } })
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer();
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const sent = await photograph('at-home');
    expect(sent.includes('at-home')).toBe(true);
    const taken = await storeOne(await uploaded(sent));
    const stored = (await intake.stored(taken))!;
    expect(stored.includes('at-home')).toBe(false);
    expect(taken).toMatchObject({ width: 40, height: 60, bytes: stored.length, hash: sha256(stored) });
    expect((await decodeLevel(stored, 64)).data.equals((await decodeLevel(sent, 64)).data)).toBe(true);
    const before = await everything();
    const elsewhere = Buffer.from(sent.toString('latin1').replace('at-home', 'at-work'), 'latin1');
    await expect(storeOne(await uploaded(elsewhere))).resolves.toEqual(taken);
    await expect(storeOne(await uploaded(sent))).resolves.toEqual(taken);
    await expect(everything()).resolves.toEqual(before);
  });

  it('decodes the same bytes once, and restores a lost blob', async () => {
    const image = await testImage({ format: 'webp', width: 90, height: 90 });
    const first = await storeOne({ kind: 'upload', key: await upload(image) });
    await blobs.delete(await keyOf(intake.db.database, first));
    const second = await storeOne({ kind: 'upload', key: await upload(image) });
    const third = await storeOne({ kind: 'upload', key: await upload(image) });
    expect([second, third]).toEqual([first, first]);
    expect(decoded).toBe(1);
    await expect(intake.stored(first)).resolves.toEqual(image);
  });

  it('decodes an image once that many requests contain concurrently and again later', async () => {
    const image = await testImage({ format: 'png', width: 700, height: 700, noise: true });
    const sources = await Promise.all(Array.from({ length: 6 }, () => uploaded(image)));
    serve(image);
    const fetched = { kind: 'url', url: address } as const;
    const [first, ...others] = await Promise.all([...sources, fetched].map((source) => storeOne(source)));
    expect(others).toEqual(Array(6).fill(first));
    await expect(storeOne(await uploaded(image))).resolves.toEqual(first);
    expect(decoded).toBe(1);
  });

  it('decodes an image once that a request contains several times', async () => {
    const image = await testImage({ format: 'png', width: 600, height: 600, noise: true });
    // More than the concurrency: the last ones start when the first one is measured but not stored
    // yet
    const sources = await Promise.all(Array.from({ length: 9 }, () => uploaded(image)));
    const taken = await textures.store(1, sources);
    expect(new Set(taken.map(({ hash }) => hash)).size).toBe(1);
    expect(decoded).toBe(1);
    await expect(keys('uploads')).resolves.toEqual([]);
  });

  it('describes to each of two clients its own request when both send the same invalid image', async () => {
    const served = half(await testImage({ format: 'png', width: 500, height: 500, noise: true }));
    serve(served);
    const [byAddress, byUpload] = await Promise.allSettled([
      storeOne({ kind: 'url', url: address }),
      storeOne(await uploaded(served)),
    ]);
    expect(byAddress).toMatchObject({ reason: { detail: expect.stringContaining('(HTTP 200, ') } });
    expect(byUpload).toMatchObject({ reason: { detail: expect.not.stringContaining('HTTP') } });
  });

  it('decodes a rejected image again, because a busy machine can be the reason', async () => {
    const image = half(await testImage({ format: 'png', width: 400, height: 400, noise: true }));
    for (const times of [1, 2]) {
      await expect(storeOne(await uploaded(image))).rejects.toMatchObject(rejection('texture.not-decoded', /damaged/));
      expect(decoded).toBe(times);
    }
  });

  it('returns several images in the order of their sources and deletes the uploads', async () => {
    const served = await testImage({ format: 'png', width: 900, height: 900, noise: true });
    serve(served);
    const small = await testImage({ format: 'gif', width: 11, height: 12 });
    const other = await testImage({ format: 'png', width: 13, height: 14 });
    const sources = [
      { kind: 'url', url: address } as const,
      await uploaded(small),
      await uploaded(other),
      await uploaded(small),
    ];
    const taken = await textures.store(1, sources);
    expect(taken.map(({ width }) => width)).toEqual([900, 11, 13, 11]);
    const stored = [served, small, other, small];
    for (const [index, { hash }] of taken.entries()) {
      // jest takes seconds to compare megabytes
      expect((await intake.stored({ hash }))?.equals(stored[index]!)).toBe(true);
    }
    const hashes = new Set((await rows()).map(({ hash }) => hash));
    expect(taken.every(({ hash }) => hashes.has(hash))).toBe(true);
    await expect(keys('uploads')).resolves.toEqual([]);
  });

  it('stores the same image of two concurrent clients once', async () => {
    const image = await testImage({ format: 'jpeg', width: 70, height: 50 });
    const sources = await Promise.all([upload(image), upload(image)]);
    const [one, two] = await Promise.all(sources.map((key) => storeOne({ kind: 'upload', key })));
    expect(one).toEqual(two);
    const stored = await intake.db.database.query('select 1 from textures where hash = $1', [one!.hash]);
    expect(stored).toHaveLength(1);
  });

  it('deletes the upload after storing the image, and rejects its second use', async () => {
    const key = await upload(await testImage({ format: 'gif', width: 20, height: 20 }));
    await storeOne({ kind: 'upload', key });
    await expect(blobs.has(key)).resolves.toBe(false);
    await expect(storeOne({ kind: 'upload', key })).rejects.toMatchObject(rejection('texture.not-fetched', /upload/));
  });

  it('sweeps uploads that are older than an hour', async () => {
    const [stale, recent] = [await upload(Buffer.from('a')), await upload(Buffer.from('b'))];
    const then = new Date(Date.now() - 3_700_000);
    await utimes(join(intake.folder, stale), then, then);
    await expect(new UploadSweeper(blobs, pino({ level: 'silent' })).sweep(new Date())).resolves.toBe(1);
    await expect(keys('uploads')).resolves.toEqual([recent]);
  });

  it('sweeps partial files of a killed process', async () => {
    const partial = join(intake.folder, '.partial', 'begun');
    await writeFile(partial, 'x');
    const then = new Date(Date.now() - 3_700_000);
    await utimes(partial, then, then);
    await expect(new UploadSweeper(blobs, pino({ level: 'silent' })).sweep(new Date())).resolves.toBe(1);
    await expect(readdir(join(intake.folder, '.partial'))).resolves.toEqual([]);
  });
});

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);
