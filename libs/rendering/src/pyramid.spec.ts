import { decodeLevel } from './level.js';
import { levelFor, Pyramids } from './pyramid.js';
import { sharp } from '#images';
import { paintPng, paintRaw, quadrants, testCard, textureOf } from './testing/test-card.js';

const mebibyte = 1024 * 1024;
const raw = (width: number, height: number) =>
  sharp(paintRaw(width, height, quadrants), { raw: { width, height, channels: 4 } });
const corner = (data: Buffer): number[] => [...data.subarray(0, 4)];
const red = [220, 20, 20, 255];

describe('Pyramids', () => {
  it('chooses a level of 0.84 to 1.19 times the required density, within the smallest and largest', () => {
    expect([150, 362, 430, 432, 700, 1e9, 0].map((required) => levelFor(required))).toEqual([
      128, 362, 362, 512, 724, 2048, 32,
    ]);
    expect([14, 5, 0].map((required) => levelFor(required, true))).toEqual([16, 6, 1]);
  });

  it('decodes a file once for one level', async () => {
    const texture = textureOf(await paintPng(400, 200, quadrants));
    const pyramids = new Pyramids(16 * mebibyte);
    const level = await pyramids.level(texture, (aspect) => 90.5 * aspect, { oneOfMany: false, isRepeated: false });
    expect(level).toMatchObject({ edge: 181, width: 181, height: 91, aspect: 2 });
    await pyramids.level(texture, () => 181, { oneOfMany: false, isRepeated: false });
    expect(texture.decodes).toBe(1);
  });

  it('does not decode a file whose measured level is cached, also if it is smaller, unless it needs a larger one', async () => {
    for (const side of [300, 1_500]) {
      const bytes = await paintPng(side, side, quadrants);
      const texture = textureOf(bytes);
      const pyramids = new Pyramids(64 * mebibyte);
      pyramids.addMeasured(texture.hash, await decodeLevel(bytes, Math.min(1_024, side)));
      const wanted = { oneOfMany: true, isRepeated: false };
      for (const edge of [1_024, 724, 181]) {
        const width = Math.min(edge, side);
        expect(await pyramids.level(texture, () => edge, wanted)).toMatchObject({ edge, width, height: width });
      }
      expect(texture.decodes).toBe(0);
      await pyramids.level(texture, () => 2_048, wanted);
      expect(texture.decodes).toBe(1);
    }
  });

  it('decodes a file twice for any number of levels, and once when the largest comes first', async () => {
    const bytes = await paintPng(300, 300, quadrants);
    const [rising, falling] = [textureOf(bytes), textureOf(bytes)];
    for (const [texture, order] of [
      [rising, [100, 181, 256, 700]],
      [falling, [700, 256, 181, 100]],
    ] as const) {
      const pyramids = new Pyramids(32 * mebibyte);
      for (const wanted of order) await pyramids.level(texture, () => wanted, { oneOfMany: false, isRepeated: false });
    }
    expect([rising.decodes, falling.decodes]).toEqual([2, 1]);
  });

  it('decodes a file once when the first image is announced as one of many', async () => {
    const texture = textureOf(await paintPng(800, 600, quadrants));
    const pyramids = new Pyramids(32 * mebibyte);
    for (const wanted of [100, 181, 256, 700])
      await pyramids.level(texture, () => wanted, { oneOfMany: true, isRepeated: false });
    expect(texture.decodes).toBe(1);
  });

  it('scales nearly the same level from the base as it decodes from the file', async () => {
    const bytes = await paintPng(600, 800, testCard);
    const texture = textureOf(bytes);
    const pyramids = new Pyramids(32 * mebibyte);
    await pyramids.level(texture, () => 1024, { oneOfMany: false, isRepeated: false });
    // Half of the base by `halve`, the same level of the file by libvips
    await pyramids.level(texture, () => 724, { oneOfMany: false, isRepeated: false });
    const [fromBase, fromFile] = [
      await pyramids.level(texture, () => 362, { oneOfMany: false, isRepeated: false }),
      await decodeLevel(bytes, 362),
    ];
    expect(texture.decodes).toBe(1);
    let distance = 0;
    for (let i = 0; i < fromFile.data.length; i++) distance += Math.abs(fromBase.data[i]! - fromFile.data[i]!);
    expect(distance / fromFile.data.length).toBeLessThan(0.7);
  });

  it('does not enlarge a small original', async () => {
    expect(await decodeLevel(await paintPng(40, 40, quadrants), 512)).toMatchObject({ edge: 512, width: 40 });
    expect(await decodeLevel(await paintPng(400, 200, quadrants), 512)).toMatchObject({ width: 400, height: 200 });
  });

  it('decodes an image of one row', async () => {
    const level = await decodeLevel(await paintPng(3000, 1, quadrants), 1024);
    expect(level).toMatchObject({ width: 1024, height: 1, aspect: 3000 });
  });

  it('serves the next texture after one failed', async () => {
    const pyramids = new Pyramids(mebibyte);
    await expect(
      pyramids.level(textureOf(Buffer.from('no image')), () => 64, { oneOfMany: false, isRepeated: false }),
    ).rejects.toThrow();
    expect(
      await pyramids.level(textureOf(await paintPng(64, 64, quadrants)), () => 64, {
        oneOfMany: false,
        isRepeated: false,
      }),
    ).toMatchObject({
      width: 64,
    });
  });
});

describe('decodeLevel', () => {
  it('returns premultiplied colors', async () => {
    const level = await decodeLevel(await paintPng(32, 32, () => [200, 100, 50, 128]), 32);
    expect(corner(level.data)).toEqual([100, 50, 25, 128]);
  });

  it.each([
    ['16 bit', () => raw(64, 64).toColourspace('rgb16').png().toBuffer()],
    ['a palette', () => raw(64, 64).png({ palette: true }).toBuffer()],
    ['WebP', () => raw(64, 64).webp({ lossless: true }).toBuffer()],
    ['GIF', () => raw(64, 64).gif().toBuffer()],
    ['AVIF', () => raw(64, 64).avif({ lossless: true, effort: 0 }).toBuffer()],
    ['a wide gamut', () => raw(64, 64).withIccProfile('p3').png().toBuffer()],
  ])('decodes %s', async (_, encoded) => {
    const { data } = await decodeLevel(await encoded(), 64);
    corner(data).forEach((value, c) => expect(Math.abs(value - red[c]!)).toBeLessThanOrEqual(4));
  });

  it('decodes CMYK with approximate colors', async () => {
    const { data } = await decodeLevel(await raw(64, 64).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(), 64);
    const [r, g, b, a] = corner(data);
    expect(r).toBeGreaterThan(150);
    expect([g! < 90, b! < 90, a]).toEqual([true, true, 255]);
  });

  it('decodes greyscale', async () => {
    const bytes = await sharp(Buffer.alloc(32 * 32, 90), { raw: { width: 32, height: 32, channels: 1 } })
      .png()
      .toBuffer();
    expect(corner((await decodeLevel(bytes, 32)).data)).toEqual([90, 90, 90, 255]);
  });

  it('applies the orientation of a photograph', async () => {
    // Orientation 6: the first row of the file is the right side of the image
    const bytes = await raw(200, 100).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
    const level = await decodeLevel(bytes, 200);
    expect(level).toMatchObject({ width: 100, height: 200, aspect: 0.5 });
    const [r, g, b] = corner(level.data);
    expect([r! < 60, g! < 60, b! > 180]).toEqual([true, true, true]);
  });

  it.each([
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['TIFF', () => raw(16, 16).tiff().toBuffer()],
    [
      'half a PNG',
      async () => (await paintPng(64, 64, (x, y) => [255 * x * y, 255 * x, 255 * y, 255])).subarray(0, 300),
    ],
  ])('rejects %s', async (_, encoded) => {
    await expect(decodeLevel(await encoded(), 64)).rejects.toThrow();
  });
});
