import { previewKey, type PreviewImage } from '#contracts';
import {
  checkPreviewTextures,
  previewEnd,
  previewSpecOf,
  previewTextureBytes,
  previewTextureKey,
  sweepTimeOf,
} from './preview.rules.js';

const hash = 'c'.repeat(64);
const at = (seconds: number) => new Date(1_000 * seconds);

describe('the end of previews', () => {
  it('is their lifetime later, and the sweep at most a quarter of the lifetime after it', () => {
    for (const now of [1_800_000_000, 1_800_000_001, 1_800_000_899.5, 1_800_000_900])
      for (const lifetime of [3_600, 100, 3, 1]) {
        const { expiresAt, sweepAt } = previewEnd(at(now), lifetime);
        expect(expiresAt).toBeGreaterThanOrEqual(now + lifetime);
        expect(expiresAt).toBeLessThan(now + lifetime + 1);
        expect(sweepAt).toBeGreaterThanOrEqual(expiresAt);
        expect(sweepAt).toBeLessThan(expiresAt + Math.ceil(lifetime / 4));
      }
  });

  it('has the same sweep time for requests within a quarter of the lifetime', () => {
    const sweepTimes = Array.from({ length: 3_600 }, (_, n) => previewEnd(at(1_800_000_000 + n), 3_600).sweepAt);
    expect(new Set(sweepTimes).size).toBeLessThanOrEqual(5);
  });
});

describe('the sweep time of a blob', () => {
  const image: PreviewImage = {
    itemName: 'mug',
    angle: 'front',
    rgb: '#ffffff',
    side: 500,
    place: 'front',
    resizeMode: 'contain',
    texture: { hash, key: 'textures/x', width: 200, height: 100 },
    placed: null,
    oneOfMany: false,
    expiresAt: 1_799_999_900,
    sweepAt: 1_800_000_000,
  };

  it('is in the keys of textures and images', () => {
    expect(sweepTimeOf(previewTextureKey(7, { hash }, image))).toBe(1_800_000_000);
    expect(sweepTimeOf(previewKey(image))).toBe(1_800_000_000);
    expect(sweepTimeOf('drawn/previews/other')).toBeNaN();
  });

  it('is not a parameter of the image', () => {
    const spec = previewSpecOf(image);
    expect(previewSpecOf({ ...image, expiresAt: 1, sweepAt: 2 })).toEqual(spec);
    expect(spec).toMatchObject({ blob: { key: 'textures/x', aspect: 2 }, width: 500, height: 500 });
  });

  it('has the layers of an item that does not ship', () => {
    expect(previewSpecOf({ ...image, layers: hash })).toEqual({ ...previewSpecOf(image), layers: hash });
    expect(previewSpecOf({ ...image, layers: null })).toEqual(previewSpecOf(image));
  });
});

it('the images of the previews of a user have a limit', () => {
  const bytes = 20 * 1024 * 1024;
  expect(() => checkPreviewTextures(previewTextureBytes - bytes, { bytes })).not.toThrow();
  expect(() => checkPreviewTextures(previewTextureBytes - bytes + 1, { bytes })).toThrow(
    /retry when they have expired/,
  );
});
