import { blanksFolder, readLayers } from '#blanks';
import { makePlan, planBytes, type Plan } from './plan.js';

const layers = readLayers(blanksFolder);
const layer = (item: string, angle: string) => layers.get(item)!.get(angle)!;

describe('makePlan', () => {
  it('returns planes of the requested size, whose bytes planBytes counts', async () => {
    const pixels = 161 ** 2;
    const plan = await makePlan(layer('t-shirt', 'front'), 161);
    expect([plan.shade, plan.mask, plan.gloss, plan.ink].map(({ length }) => length)).toEqual(Array(4).fill(pixels));
    expect(planBytes(plan)).toBe(3 * pixels + 12 * plan.pixels.length);
    const withInk = await makePlan(layer('smartphone-case', 'back'), 161);
    expect(planBytes(withInk)).toBe(4 * pixels + 12 * withInk.pixels.length);
  });

  it('places pixels at the nodes of the grid', async () => {
    const it = layer('t-shirt', 'front');
    const plan = await makePlan(it, it.width);
    const { x0, y0, step, cols, scale } = it.uv;
    const [i, j] = [40, 50];
    // The centre of the pixel to the right of and below a node is half a pixel inside its cell
    const at = plan.pixels.indexOf(Math.floor(y0 + j * step) * it.width + Math.floor(x0 + i * step));
    const node = 2 * (j * cols + i);
    expect(plan.u[at]).toBeCloseTo(it.nodes[node]! / scale, 2);
    expect(plan.v[at]).toBeCloseTo(it.nodes[node + 1]! / scale, 2);
  });

  it.each(['t-shirt/front', 'mug/front', 'smartphone-case/back'])(
    'has print coordinates that increase to the right and down on %s',
    async (name) => {
      const [item, angle] = name.split('/');
      const { pixels, u, v, edge } = await makePlan(layer(item!, angle!), 161);
      const at = new Map(Array.from(pixels, (pixel, i) => [pixel, i]));
      let [pairs, right, down] = [0, 0, 0];
      pixels.forEach((pixel, i) => {
        const [next, below] = [at.get(pixel + 1), at.get(pixel + edge)];
        if (next === undefined || below === undefined) return;
        pairs++;
        if (u[next]! > u[i]!) right++;
        if (v[below]! > v[i]!) down++;
      });
      expect(right / pairs).toBeGreaterThan(0.97);
      expect(down / pairs).toBeGreaterThan(0.97);
    },
  );

  it('doubles the print size in an image of twice the size, with the aspect of the print area', async () => {
    const [small, large] = await Promise.all([161, 322].map((edge) => makePlan(layer('mug', 'front'), edge)));
    expect(large!.printWidth / small!.printWidth).toBeCloseTo(2, 1);
    expect(large!.printWidth / large!.printHeight).toBeCloseTo(161 / 65.4, 1);
  });

  it('adds the threads of its cloth to the item only', async () => {
    const plain = { ...layer('t-shirt', 'front'), fabric: undefined };
    const [smooth, woven] = await Promise.all(
      [plain, { ...plain, fabric: 'plain' as const }].map((it) => makePlan(it, 323)),
    );
    const changed = Array.from(smooth!.shade, (value, i) => value !== woven!.shade[i]);
    const share = (part: (mask: number) => boolean): number => {
      const pixels = changed.filter((_, i) => part(smooth!.mask[i]!));
      return pixels.filter(Boolean).length / pixels.length;
    };
    expect(share((mask) => mask === 255)).toBeGreaterThan(0.5);
    expect(share((mask) => mask === 0)).toBe(0);
  });

  it('is not shifted in an image larger than the master', async () => {
    const [as600, as1530] = await Promise.all([600, 1530].map((edge) => makePlan(layer('can-badge', 'front'), edge)));
    const [small, large] = [centreOf(as600!.mask, 600), centreOf(as1530!.mask, 1530)];
    for (const axis of [0, 1] as const) expect(Math.abs(large[axis] - small[axis]) * 1530).toBeLessThan(0.05);
  });
});

/** Returns the centre of gravity of a plane, 0..1 along both axes. */
function centreOf(plane: Buffer, edge: number): [number, number] {
  let [sum, sumX, sumY] = [0, 0, 0];
  for (let i = 0; i < plane.length; i++) {
    sum += plane[i]!;
    sumX += plane[i]! * ((i % edge) + 0.5);
    sumY += plane[i]! * (Math.floor(i / edge) + 0.5);
  }
  return [sumX / sum / edge, sumY / sum / edge];
}

describe('plan of a close-up', () => {
  // Threads begin at the corner of each image
  const whole = { ...layer('t-shirt', 'front'), fabric: undefined };
  const part = { ...whole, angle: 'part', crop: { x: 400, y: 200, size: 800 } };

  /** Both plans at three eighths of the master's size. */
  let close: Plan;
  let all: Plan;
  beforeAll(async () => {
    [close, all] = await Promise.all([makePlan(part, 300), makePlan(whole, 600)]);
  });
  const inWhole = (index: number): number => (75 + Math.floor(index / 300)) * 600 + 150 + (index % 300);

  it.each(['shade', 'mask', 'gloss'] as const)('equals the same part of the whole image in %s', (name) => {
    let [sum, worst] = [0, 0];
    close[name].forEach((value, i) => {
      const difference = Math.abs(value - all[name][inWhole(i)]!);
      sum += difference;
      // The filter at the edge of the part has no pixels beyond it
      const [x, y] = [i % 300, Math.floor(i / 300)];
      if (Math.min(x, y, 299 - x, 299 - y) > 4) worst = Math.max(worst, difference);
    });
    // A whole WebP is scaled by the decoder, with another filter
    expect(sum / close[name].length).toBeLessThan(0.2);
    expect(worst).toBeLessThanOrEqual(12);
  });

  it('has the same print coordinates at the same pixels', () => {
    const at = new Map(Array.from(all.pixels, (pixel, i) => [pixel, i]));
    let [compared, worst] = [0, 0];
    close.pixels.forEach((pixel, i) => {
      const same = at.get(inWhole(pixel));
      if (same === undefined) return;
      compared++;
      worst = Math.max(worst, Math.abs(close.u[i]! - all.u[same]!), Math.abs(close.v[i]! - all.v[same]!));
    });
    expect(compared).toBeGreaterThan(0.99 * close.pixels.length);
    expect(worst).toBeLessThan(1e-5);
  });

  it('has the print density of a whole image at the same scale', () => {
    expect(close.printWidth / all.printWidth).toBeCloseTo(1, 1);
  });
});
