import { signFilePath } from './image-url.js';
import type { PreviewImage } from '../messages/material-rendering.js';
import { parsePreviewPath, previewKey, previewPath, previewUrl } from './preview-url.js';

const secret = 'a secret that is long enough for a key';
const hash = 'a'.repeat(64);
const image: PreviewImage = {
  itemName: 't-shirt',
  angle: 'front',
  rgb: '#ffffff',
  side: 500,
  place: 'front',
  texture: { hash, width: 2_000, height: 1_000, key: `preview-textures/999999/1800000000.${hash}` },
  resizeMode: 'contain',
  placed: {
    matrix: [123.45678901234567, -12.345678901234567, 12.345678901234567, 123.45678901234567, -5.55, 1 / 3],
    repeat: 'half-drop',
    period: { x: 1.1234567890123457, y: 1.1234567890123457 },
  },
  oneOfMany: true,
  expiresAt: 1_799_999_900,
  sweepAt: 1_800_000_000,
};

interface Parts {
  readonly path: string;
  readonly signature: string;
}
function partsOf(url: string): Parts {
  const { pathname, searchParams } = new URL(url);
  return { path: pathname.slice(previewPath.length + 1), signature: searchParams.get('h')! };
}
const signed = (it: PreviewImage, key = secret): Parts => partsOf(previewUrl('https://shop.example.com', it, key));
const parse = ({ path, signature }: Parts): PreviewImage | null => parsePreviewPath(path, signature, secret);

describe('the URL of a preview', () => {
  it('contains the whole preview, in fewer than 1,200 characters', () => {
    expect(parse(signed(image))).toEqual(image);
    expect(parse(signed({ ...image, placed: null }))).toEqual({ ...image, placed: null });
    expect(previewUrl('https://shop.example.com', image, secret).length).toBeLessThan(1_200);
  });

  it('is invalid with any other preview, signature or secret', () => {
    const { path, signature } = signed(image);
    for (const change of [{ itemName: 'mug' }, { side: 1_530 }, { expiresAt: image.expiresAt + 1 }, { placed: null }])
      expect(parse({ path: signed({ ...image, ...change }).path, signature })).toBeNull();
    for (const other of ['', signature.slice(1), `${signature}A`, signature.toUpperCase()])
      expect(parse({ path, signature: other })).toBeNull();
    expect(parse(signed(image, 'another secret that is long enough'))).toBeNull();
    expect(parse({ path: path.replace('.webp', '.png'), signature })).toBeNull();
    expect(parse({ path: path.replace('.webp', ''), signature })).toBeNull();
  });

  it('has layers of the blob store, which are signed; without them it is the same as before', () => {
    const layered = { ...image, layers: 'b'.repeat(64) };
    expect(parse(signed(layered))).toEqual(layered);
    for (const other of [image, { ...image, layers: 'c'.repeat(64) }])
      expect(parse({ path: signed(layered).path, signature: signed(other).signature })).toBeNull();
    expect(signed({ ...image, layers: null })).toEqual(signed(image));
    expect(signed(image).path).toBe(`${Buffer.from(JSON.stringify(image)).toString('base64url')}.webp`);
    expect(parse(signed({ ...image, layers: '../textures' }))).toBeNull();
  });

  it('is invalid with the signature of a file path', () => {
    const { path } = signed(image);
    const payload = path.replace('.webp', '');
    for (const text of [payload, `preview ${payload}`])
      expect(parse({ path, signature: signFilePath(text, secret) })).toBeNull();
  });

  it('is invalid if another version has signed another shape', () => {
    const { side, ...older } = image;
    expect(parse(signed({ ...older, width: side } as unknown as PreviewImage))).toBeNull();
  });
});

describe('the blob key of a preview', () => {
  it('is the same for previews that differ in their expiry only', () => {
    expect(previewKey(image)).toMatch(/^drawn\/previews\/1800000000\/[0-9a-f]{64}\.webp$/);
    expect(previewKey({ ...image, expiresAt: 1, oneOfMany: false })).toBe(previewKey(image));
    const texture = { ...image.texture, key: 'textures/other' };
    for (const change of [{ itemName: 'mug' }, { rgb: '#000000' }, { side: 323 }, { placed: null }, { texture }])
      expect(previewKey({ ...image, ...change })).not.toBe(previewKey(image));
  });

  it('depends on layers of the blob store', () => {
    const layers = 'b'.repeat(64);
    expect(previewKey({ ...image, layers: null })).toBe(previewKey(image));
    expect(new Set([image, { ...image, layers }, { ...image, layers: hash }].map(previewKey)).size).toBe(3);
  });
});
