import { sharp } from '#images';
import { drawReport } from './report.js';

const flat = (value: number) => ({ width: 64, height: 64, data: new Uint8Array(3 * 64 * 64).fill(value) });

describe('drawReport', () => {
  it('has three images, and labels in the font of the package', async () => {
    const { png, difference } = await drawReport('Box <front> & back', flat(200), flat(190));
    expect(difference).toEqual({ mean: 10, most: 10, max: 10 });
    const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 1_984, height: 712, channels: 3 });
    const brightness = (x: number, y: number): number => data[3 * (y * info.width + x)]!;
    expect([100, 800, 1_500].map((x) => brightness(x, 400))).toEqual([200, 190, 215]);
    // Pixels of the glyphs: those of a font of the system would have others
    const dark = (left: number): number => {
      let count = 0;
      for (let y = 0; y < 56; y++) for (let x = left; x < left + 640; x++) count += Number(brightness(x, y) < 128);
      return count;
    };
    expect([16, 672, 1_328].map(dark)).toEqual([1_107, 171, 1_775]);
  });

  it('counts the pixels of a mask only', async () => {
    const mask = new Uint8Array(64 * 64).fill(255, 0, 64);
    const changed = flat(200);
    changed.data.fill(180, 0, 3 * 32);
    const { difference } = await drawReport('Box', flat(200), changed, mask);
    expect(difference).toEqual({ mean: 10, most: 20, max: 20 });
  });
});
