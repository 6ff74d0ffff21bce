import { jest } from '@jest/globals';
import { sharp, type Sharp } from '#images';
import { measure } from './measure.js';
import { bombPng, testImage } from '../textures/testing/test-images.js';

const damaged = { kind: 'not-decoded', reason: 'it is damaged or not complete' };

describe('measure', () => {
  it.each(['png', 'jpeg', 'webp', 'avif', 'gif'] as const)('returns format, size and color of a %s', async (format) => {
    const measured = await measure(await testImage({ format, width: 60, height: 40, color: '#000000' }));
    expect(measured).toEqual({
      kind: 'measured',
      format,
      width: 60,
      height: 40,
      dominantRgb: '#000000',
      animated: false,
      parts: null,
    });
  });

  it('reads the header once and decodes once', async () => {
    const image = await testImage({ format: 'png', width: 60, height: 40 });
    const prototype = Object.getPrototypeOf(sharp(image)) as Sharp;
    const [headers, decodes] = [jest.spyOn(prototype, 'metadata'), jest.spyOn(prototype, 'toBuffer')];
    try {
      await measure(image);
      expect([headers.mock.calls.length, decodes.mock.calls.length]).toEqual([1, 1]);
    } finally {
      headers.mockRestore();
      decodes.mockRestore();
    }
  });

  it('returns the exact color of an image of one color', async () => {
    const image = await testImage({ format: 'png', width: 300, height: 200, color: '#274b6d' });
    await expect(measure(image)).resolves.toMatchObject({ dominantRgb: '#274b6d' });
  });

  it('returns no color for an image without visible pixels', async () => {
    const image = await testImage({ format: 'png', width: 30, height: 20, color: '#ff000000' });
    await expect(measure(image)).resolves.toMatchObject({ kind: 'measured', dominantRgb: null });
  });

  it('returns width and height after the orientation is applied', async () => {
    const image = await testImage({ format: 'jpeg', width: 60, height: 40, orientation: 6 });
    await expect(measure(image)).resolves.toMatchObject({ width: 40, height: 60 });
  });

  it.each(['png', 'jpeg', 'webp', 'avif', 'gif'] as const)('rejects a truncated %s', async (format) => {
    // Small, because encoding a GIF of noise takes 20 s per megapixel
    const image = await testImage({ format, width: 150, height: 100, noise: true });
    for (const part of [0.98, 0.5, 0.05]) {
      await expect(measure(image.subarray(0, Math.floor(image.length * part)))).resolves.toEqual(damaged);
    }
  });

  it('rejects a decompression bomb by its header', async () => {
    await expect(measure(bombPng(30_000))).resolves.toMatchObject({ kind: 'too-large', reason: /50 million/ });
  });

  it('rejects a side over the limit, and an AVIF over the lower limit of AVIF', async () => {
    await expect(measure(await testImage({ format: 'png', width: 16_385, height: 1 }))).resolves.toMatchObject({
      kind: 'too-large',
    });
    await expect(measure(await testImage({ format: 'avif', width: 4_001, height: 4_000 }))).resolves.toMatchObject({
      kind: 'too-large',
      reason: expect.stringMatching(/16 million/),
    });
  });

  it.each(['', 'GIF89a', '<svg xmlns="http://www.w3.org/2000/svg"/>', '\x89PNG\r\n\x1a\n'])(
    'rejects bytes that are no complete image: %j',
    async (text) => {
      await expect(measure(Buffer.from(text, 'latin1'))).resolves.toEqual(damaged);
    },
  );
});
