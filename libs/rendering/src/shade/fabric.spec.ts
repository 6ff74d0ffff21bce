import { type Fabric } from '#blanks';
import { addGrain, fabricTile, mottledTile, type Tile } from './fabric.js';

const fabrics: readonly Fabric[] = ['jersey', 'fleece', 'plain'];

const meanOf = ({ factors }: Tile): number => factors.reduce((sum, factor) => sum + factor, 0) / factors.length;
function deviationOf(tile: Tile): number {
  const mean = meanOf(tile);
  return Math.sqrt(tile.factors.reduce((sum, factor) => sum + (factor - mean) ** 2, 0) / tile.factors.length);
}

describe.each(fabrics)('%s', (fabric) => {
  it('does not change the light on average', () => {
    for (const scale of [0.125, 0.5, 1, 2]) expect(meanOf(fabricTile(fabric, scale))).toBeCloseTo(1, 2);
  });

  it('fades in small images, and remains visible at 765 pixels', () => {
    const [close, whole, small] = [0.2, 0.9, 2.1].map((scale) => deviationOf(fabricTile(fabric, scale)));
    expect(close).toBeGreaterThan(whole!);
    expect(whole).toBeGreaterThan(small!);
    // 2 of 255 levels of white cloth
    expect(whole).toBeGreaterThan(0.008);
    expect(close).toBeLessThan(0.08);
  });

  it.each([
    ['columns', 1],
    ['rows', 0],
  ])('repeats without a visible seam between %s', (_, isAcross) => {
    const { edge, factors } = fabricTile(fabric, 0.2);
    const at = (along: number, across: number): number =>
      factors[isAcross ? along * edge + across : across * edge + along]!;
    const difference = (one: number, other: number): number => {
      let sum = 0;
      for (let along = 0; along < edge; along++) sum += Math.abs(at(along, one) - at(along, other));
      return sum / edge;
    };
    const inside = Array.from({ length: edge - 1 }, (_, x) => difference(x, x + 1));
    expect(difference(edge - 1, 0)).toBeLessThan(Math.max(...inside));
  });
});

describe('mottledTile', () => {
  it('has light and dark fibres of a tenth of the color', () => {
    const tile = mottledTile(0.9);
    expect(meanOf(tile)).toBeCloseTo(1, 2);
    expect(deviationOf(tile)).toBeGreaterThan(0.025);
    expect(Math.max(...tile.factors) - Math.min(...tile.factors)).toBeGreaterThan(0.15);
  });
});

describe('addGrain', () => {
  const tile = { edge: 2, factors: Float32Array.of(0.5, 1, 1, 1.5) };

  it('repeats the tile where the cloth is, in proportion to its coverage', () => {
    const light = new Float32Array(9).fill(100);
    addGrain(light, Uint8Array.of(255, 255, 51, 255, 255, 0, 0, 0, 0), 3, tile);
    expect([...light]).toEqual([50, 100, 90, 100, 150, 100, 100, 100, 100]);
  });
});
