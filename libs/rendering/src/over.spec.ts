import { tintBlank } from './blank.js';
import { backgroundRgb, glossTable, wallRgb } from './light.js';
import { frame, over } from './over.js';
import { colorAt, sheet } from './testing/test-card.js';

/** Shade value of the bare wall in the files of all blanks. */
const wallShade = 191;

describe('glossTable', () => {
  it('does not change values without gloss and brightens them with gloss', () => {
    expect(Array.from({ length: 256 }, (_, lit) => glossTable[lit])).toEqual(
      Array.from({ length: 256 }, (_, lit) => lit),
    );
    // 255 * ((128/255)^2.2 + 0.1)^(1/2.2)
    expect(glossTable[(100 << 8) | 128]).toBe(152);
  });
});

describe('tintBlank', () => {
  it('returns the item color under full light, and the wall beside the item', () => {
    const plan = sheet(2, { mask: Buffer.of(255, 0, 51, 255), shade: Buffer.of(200, wallShade, 200, 100) });
    const blank = tintBlank(plan, [100, 50, 250]);
    expect([...blank.subarray(0, 3)]).toEqual([100, 50, 250]);
    expect([...blank.subarray(3, 6)]).toEqual([...wallRgb]);
    expect([...blank.subarray(6, 9)]).toEqual([217, 207, 245]);
    expect([...blank.subarray(9)]).toEqual([50, 25, 125]);
  });

  it('clamps values brighter than white', () => {
    const blank = tintBlank(sheet(1, { shade: Buffer.of(255), gloss: Buffer.of(255) }), [250, 250, 250]);
    expect([...blank]).toEqual([255, 255, 255]);
  });

  it('has light and dark pixels of the same mean in mottled yarn, and no others on the wall', () => {
    const plan = sheet(64, { mask: Buffer.from(Array.from({ length: 64 * 64 }, (_, i) => (i < 64 * 32 ? 255 : 0))) });
    const blank = tintBlank(plan, [180, 180, 180], true);
    const [item, wall] = [blank.subarray(0, 3 * 64 * 32), blank.subarray(3 * 64 * 32)];
    expect(new Set(item).size).toBeGreaterThan(20);
    expect(item.reduce((sum, value) => sum + value, 0) / item.length).toBeCloseTo(180, -1);
    expect(new Set(wall)).toEqual(new Set(backgroundRgb));
  });
});

describe('over', () => {
  const blank = Buffer.from([10, 20, 30, 200, 210, 220, 1, 2, 3]);

  it('returns an identical copy of the blank without ink', () => {
    const image = over(blank, { pixels: Uint32Array.of(0, 1, 2), rgba: new Uint8Array(12) });
    expect(image.equals(blank)).toBe(true);
    expect(image).not.toBe(blank);
  });

  it('composites ink by its alpha', () => {
    const rgba = Uint8Array.of(50, 60, 70, 255, 50, 0, 0, 128);
    expect([...over(blank, { pixels: Uint32Array.of(2, 1), rgba })]).toEqual([10, 20, 30, 150, 105, 110, 50, 60, 70]);
  });
});

describe('frame', () => {
  it('returns a square image unchanged', () => {
    const square = Buffer.alloc(12, 5);
    expect(frame(square, 2, 2, 2)).toBe(square);
  });

  it.each([
    [300, 100],
    [100, 300],
  ])('centres the square in %d x %d and fades from its edges to the wall', (width, height) => {
    const image = frame(Buffer.alloc(3 * 100 * 100, 9), 100, width, height);
    const at = (x: number, y: number): number => image[3 * (y * width + x)]!;
    const along = Array.from({ length: 300 }, (_, i) => (width > height ? at(i, 50) : at(50, i)));
    expect(along.slice(100, 200).every((value) => value === 9)).toBe(true);
    expect([along[0], along[299], along[70], along[230]]).toEqual([235, 235, 235, 235]);
    expect(along[99]).toBeLessThan(12);
  });
});

describe('colorAt', () => {
  it('returns the color at relative coordinates', () => {
    expect(colorAt(Buffer.from([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]), 2, 0.75, 0.25)).toEqual([1, 1, 1]);
  });
});
