import { sharp } from '#images';
import { Canvas } from './canvas.js';

const pixelsOf = async (canvas: Canvas): Promise<Buffer> =>
  sharp(await canvas.encode('png'))
    .raw()
    .toBuffer();
const black = [0, 0, 0] as const;

/** Returns the columns and rows that are not white, as [left, right, top, bottom]. */
async function inked(canvas: Canvas): Promise<number[]> {
  const pixels = await pixelsOf(canvas);
  const [columns, rows]: [number[], number[]] = [[], []];
  for (let at = 0; at < pixels.length / 3; at++) {
    if (pixels[3 * at]! > 250) continue;
    columns.push(at % canvas.width);
    rows.push(Math.floor(at / canvas.width));
  }
  return [Math.min(...columns), Math.max(...columns), Math.min(...rows), Math.max(...rows)];
}

describe('Canvas', () => {
  it('cuts off rectangles and images at its edges', async () => {
    const canvas = new Canvas(4, 3);
    canvas.rectangle({ x: -2, y: -2, width: 3, height: 3 }, black);
    canvas.image(3, 2, { width: 2, height: 2, data: Buffer.alloc(12, 7) });
    const pixels = await pixelsOf(canvas);
    expect(Array.from({ length: 12 }, (_, at) => pixels[3 * at])).toEqual([
      0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 7,
    ]);
  });

  it('writes a text upon its baseline, Latin and Japanese', async () => {
    for (const text of ['Hx', '黒']) {
      const canvas = new Canvas(200, 60);
      const end = canvas.label(text, { x: 20, y: 40, em: 30, rgb: black });
      const [left, right, top, bottom] = await inked(canvas);
      expect(left).toBeGreaterThanOrEqual(20);
      expect(Math.abs(end - 1 - right!)).toBeLessThanOrEqual(1);
      expect(bottom).toBeGreaterThan(36);
      expect(bottom).toBeLessThan(44);
      expect(top).toBeGreaterThan(40 - 30);
    }
  });

  it('cuts off a text at the maximum width and at its edges', async () => {
    const canvas = new Canvas(100, 40);
    expect(canvas.label('W'.repeat(200), { x: 10, y: 30, em: 20, rgb: black, maxWidth: 40 })).toBe(50);
    expect((await inked(canvas))[1]).toBe(49);
    expect(canvas.label('WWWWWWWW', { x: 60, y: 5, em: 20, rgb: black })).toBe(100);
    expect(canvas.label('', { x: 99, y: 50, em: 20, rgb: black })).toBe(100);
  });
});
