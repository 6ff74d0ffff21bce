import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Texture } from '#contracts';
import { reservedCodeBytes } from '#children/data-size.js';
import { sharp } from '#images';
import { keyOf } from '../testing/stored-texture.js';
import { TextureIntake } from '../testing/texture-intake.js';
import { TextureDecoder } from './texture.decoder.js';
import { bombs } from './testing/bombs.js';
import { extremes, truncated } from './testing/broken-images.js';
import { foreign, polyglots } from './testing/foreign-images.js';
import { type AcceptedOutcome, flat, type HostileImage, type RejectedOutcome } from './testing/hostile-image.js';
import { animated, colors } from './testing/odd-images.js';
import { flatPng } from './testing/png.js';
import type { TextureService } from './texture.service.js';

const megabyte = 1024 * 1024;
const rejection = ({ code, because }: RejectedOutcome) => ({
  kind: { code, status: 422 },
  detail: expect.stringMatching(because),
});

describe('a hostile image', () => {
  let intake: TextureIntake;
  let decoder: TextureDecoder;
  let textures: TextureService;

  beforeAll(async () => {
    intake = await TextureIntake.open();
    // More time than in production, because other tests run concurrently
    decoder = new TextureDecoder({ timeoutMs: 30_000 });
    textures = intake.serviceWith(decoder);
  });

  afterAll(async () => {
    decoder.onApplicationShutdown();
    await intake.close();
  });

  const store = async (bytes: Buffer): Promise<Texture> =>
    (await textures.store(1, [{ kind: 'upload', key: await intake.upload(bytes) }]))[0]!;
  const everything = async (): Promise<string[]> => {
    const rows = await intake.db.database.query<{ hash: string }>('select hash from textures');
    const blobs = await Promise.all(['textures', 'uploads'].map((below) => intake.keys(below)));
    return [...rows.map(({ hash }) => hash), ...blobs.flat()].sort();
  };
  let validImages = 0;
  const validImage = (): Promise<Buffer> => {
    validImages += 1;
    return flatPng({ width: 8, height: 8, depth: 8, color: [validImages, 1, 2] });
  };

  describe.each<[string, readonly HostileImage[]]>([
    ['that is a bomb', bombs],
    ['of an extreme size', extremes],
    ['that is truncated', truncated],
    ['that is not an image', foreign],
    ['that is also valid in another format', polyglots],
    ['that is animated', animated],
    ['of unusual colors', colors],
  ])('%s', (_kind, images) => {
    it.each(images)('has the expected outcome, and the next image is accepted: $name', async ({ make, outcome }) => {
      const image = await make();
      const before = await everything();
      decoder.warm();
      const child = decoder.childId!;
      const peak = new PeakMemory(child);
      await peak.reset();
      const result = await store(image).catch((error: unknown) => error);
      await peak.expectBelowLimit();
      if ('code' in outcome) {
        expect(result).toMatchObject(rejection(outcome));
        await expect(everything()).resolves.toEqual(before);
      } else expectAccepted(result, outcome);
      await expect(store(await validImage())).resolves.toMatchObject({ width: 8 });
      expect(decoder.childId).toBe(child);
    });
  });

  describe('with an EXIF orientation', () => {
    it.each([1, 2, 3, 4, 5, 6, 7, 8])('is rendered upright: orientation %i', async (orientation) => {
      const image = await turned(orientation);
      const texture = await store(image);
      expect(texture).toMatchObject({ width: 96, height: 64 });
      const drawn = await intake.blobs.withFile(await keyOf(intake.db.database, texture), (path) =>
        decoder.level(path, 91),
      );
      const { width, height, data } = drawn!;
      const at = (x: number, y: number) => nearest(data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3));
      const corners = [at(9, 9), at(width - 9, 9), at(9, height - 9), at(width - 9, height - 9)];
      expect(corners).toEqual(Object.keys(quarters));
    });
  });

  describe('with a wrong name or media type', () => {
    it.each(['cat.svg', 'cat.pdf', 'cat'])('is accepted by its bytes: %s', async (name) => {
      intake.served = { type: 'image/svg+xml', bytes: await validImage() };
      const taken = await textures.store(1, [{ kind: 'url', url: intake.addressOf(name) }]);
      expect(taken).toMatchObject([{ format: 'png', width: 8 }]);
    });

    it.each(foreign)('is rejected by its bytes: $name', async ({ make, outcome }) => {
      const before = await everything();
      intake.served = { type: 'image/png', bytes: await make() };
      const taken = textures.store(1, [{ kind: 'url', url: intake.addressOf('cat.png') }]);
      await expect(taken).rejects.toMatchObject(rejection(outcome as RejectedOutcome));
      await expect(everything()).resolves.toEqual(before);
    });
  });
});

/** Peak memory of a process as the kernel reports it. Linux only, like the memory limit itself. */
class PeakMemory {
  private readonly folder: string;

  constructor(pid: number) {
    this.folder = `/proc/${pid}`;
  }

  async reset(): Promise<void> {
    if (existsSync(this.folder)) await writeFile(`${this.folder}/clear_refs`, '5');
  }

  async expectBelowLimit(): Promise<void> {
    if (!existsSync(this.folder)) return;
    const limit = (await this.read('limits', /Max data size +(\d+)/)) - reservedCodeBytes();
    // Ranges of code come and go: they were counted when the child started
    expect(limit).toBeLessThanOrEqual(910 * megabyte);
    // A reserve of a fifth for differences between machines
    expect(1024 * (await this.read('status', /VmHWM:\s+(\d+) kB/))).toBeLessThan(0.8 * limit);
  }

  private async read(name: string, pattern: RegExp): Promise<number> {
    return Number(pattern.exec(await readFile(join(this.folder, name), 'latin1'))![1]);
  }
}

function expectAccepted(texture: unknown, { color, off = 0, ...properties }: AcceptedOutcome): void {
  expect(texture).toMatchObject(properties);
  if (color === undefined) return;
  const { dominantRgb } = texture as Texture;
  if (color === null || dominantRgb === null) expect(dominantRgb).toBe(color);
  else expect(distance(rgbOf(dominantRgb), rgbOf(color))).toBeLessThanOrEqual(off);
}

const rgbOf = (color: string): number[] => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
const distance = (one: ArrayLike<number>, other: readonly number[]): number =>
  Math.max(...other.map((value, index) => Math.abs(value - one[index]!)));

/** Colors of the four quarters of an upright image, row by row. */
const quarters: Record<string, string> = { red: '#ff0000', green: '#00ff00', blue: '#0000ff', white: '#ffffff' };
const nearest = (pixel: Uint8Array): string | undefined =>
  Object.keys(quarters).find((name) => distance(pixel, rgbOf(quarters[name]!)) < 40);

/** Transformation of an upright image for each orientation, which a viewer reverses. */
const storing: Record<number, readonly ('flop' | 'flip' | 90 | 180 | 270)[]> = {
  1: [],
  2: ['flop'],
  3: [180],
  4: ['flip'],
  5: [90, 'flop'],
  6: [270],
  7: [270, 'flop'],
  8: [90],
};

async function turned(orientation: number): Promise<Buffer> {
  const parts = await Promise.all(Object.values(quarters).map((color) => flat('png', color, 48, 32)));
  let image = await sharp({ create: { width: 96, height: 64, channels: 3, background: 'black' } })
    .composite(parts.map((input, index) => ({ input, left: 48 * (index % 2), top: 32 * Math.floor(index / 2) })))
    .png()
    .toBuffer();
  for (const step of storing[orientation]!) {
    const pipeline = sharp(image);
    image = await (typeof step === 'number' ? pipeline.rotate(step) : pipeline[step]()).png().toBuffer();
  }
  return sharp(image).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
}
