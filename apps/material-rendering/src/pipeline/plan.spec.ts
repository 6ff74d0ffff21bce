import { readLayers } from './layer.js';
import { makePlan, planBytes } from './plan.js';
import { layersFolder } from './test-card.js';

const layers = readLayers(layersFolder);
const layer = (item: string, angle: string) => layers.get(item)!.get(angle)!;

describe('a plan', () => {
  it('has planes of the asked size and knows what it weighs', async () => {
    const plan = await makePlan(layer('t-shirt', 'front'), 161);
    expect([plan.shade, plan.mask, plan.gloss].map((plane) => plane.length)).toEqual([161 ** 2, 161 ** 2, 161 ** 2]);
    expect(planBytes(plan)).toBe(3 * 161 ** 2 + 12 * plan.pixels.length);
  });

  it('meets the nodes of the grid where they lie', async () => {
    const it = layer('t-shirt', 'front');
    const plan = await makePlan(it, it.width);
    const { x0, y0, step, cols, scale } = it.uv;
    const [i, j] = [40, 50];
    // The middle of the pixel to the right and below a node is half a pixel into its cell
    const at = plan.pixels.indexOf(Math.floor(y0 + j * step) * it.width + Math.floor(x0 + i * step));
    const node = 2 * (j * cols + i);
    expect(plan.u[at]).toBeCloseTo(it.nodes[node]! / scale, 2);
    expect(plan.v[at]).toBeCloseTo(it.nodes[node + 1]! / scale, 2);
  });

  it.each(['t-shirt/front', 'mug/front', 'smartphone-case/back'])('runs to the right and down on %s', async (name) => {
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
  });

  it('prints twice as densely in a picture twice as large, in the shape of the print area', async () => {
    const [small, large] = await Promise.all([161, 322].map((edge) => makePlan(layer('mug', 'front'), edge)));
    expect(large!.printWidth / small!.printWidth).toBeCloseTo(2, 1);
    expect(large!.printWidth / large!.printHeight).toBeCloseTo(161 / 65, 1);
  });
});
