import { spawnSync } from 'node:child_process';
import { engineFiles } from './testing/test-card.js';
import { softProof } from './soft-proof.js';

type Rgb = readonly [red: number, green: number, blue: number];

const { cmykProfile } = engineFiles;

/**
 * Colors, and those in which FOGRA39 prints them, by transicc of LittleCMS 2.14: perceptual to
 * CMYK, relative colorimetric to sRGB.
 */
const patches: readonly (readonly [color: Rgb, printed: Rgb])[] = [
  [
    [255, 0, 0],
    [227.7, 45, 43.8],
  ],
  [
    [0, 255, 0],
    [129.7, 187.7, 67.9],
  ],
  [
    [0, 0, 255],
    [13.4, 87.4, 155.7],
  ],
  [
    [0, 255, 255],
    [153.6, 211.8, 218.5],
  ],
  [
    [255, 0, 255],
    [184.7, 90.5, 157.5],
  ],
  [
    [255, 255, 0],
    [247.9, 230.2, 0],
  ],
  [
    [0, 0, 0],
    [35.3, 35.6, 38.7],
  ],
  [
    [255, 255, 255],
    [255, 255, 255],
  ],
  [
    [64, 64, 64],
    [72.4, 73.4, 74.5],
  ],
  [
    [128, 128, 128],
    [131.3, 132.1, 133.3],
  ],
  [
    [200, 200, 200],
    [202.8, 203.5, 204.8],
  ],
  [
    [255, 128, 0],
    [237, 126.7, 37.8],
  ],
  [
    [90, 140, 60],
    [98, 141.6, 67.3],
  ],
  [
    [30, 60, 120],
    [53.8, 76.3, 118.6],
  ],
  [
    [250, 200, 180],
    [246.3, 200.1, 179],
  ],
];

/** Returns the CIELAB of sRGB under D50. */
function labOf(color: Rgb): number[] {
  const [r, g, b] = color.map((value) => {
    const part = Math.max(0, value) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const [x, y, z] = [
    (0.4360747 * r + 0.3850649 * g + 0.1430804 * b) / 0.96422,
    0.2225045 * r + 0.7168786 * g + 0.0606169 * b,
    (0.0139322 * r + 0.0971045 * g + 0.7141733 * b) / 0.82521,
  ].map((t) => (t > 216 / 24_389 ? Math.cbrt(t) : ((24_389 / 27) * t + 16) / 116)) as [number, number, number];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Returns the CIE 1976 color difference. */
function deltaE(one: Rgb, other: Rgb): number {
  const [a, b] = [labOf(one), labOf(other)];
  return Math.hypot(...a.map((value, index) => value - b[index]!));
}

/** Returns a soft proof of premultiplied RGBA pixels. */
async function proofOf(...pixels: (readonly number[])[]): Promise<Rgb[]> {
  const level = { edge: 1, width: pixels.length, height: 1, aspect: 1, data: Buffer.from(pixels.flat()) };
  const { data } = await softProof(level, cmykProfile);
  return pixels.map((_, index) => [...data.subarray(4 * index, 4 * index + 4)] as unknown as Rgb);
}

describe('a soft proof', () => {
  it.each(patches)('of %j is the printed color', async (color, printed) => {
    const [proof] = await proofOf([...color, 255]);
    expect(deltaE(proof!, printed)).toBeLessThan(2);
  });

  it('hardly changes greys, but shows that black ink is not black', async () => {
    const greys = [70, 100, 128, 200, 230, 255];
    const proofs = await proofOf(...greys.map((grey) => [grey, grey, grey, 255]));
    greys.forEach((grey, index) => expect(deltaE(proofs[index]!, [grey, grey, grey])).toBeLessThan(4));
    const [black] = await proofOf([0, 0, 0, 255]);
    expect(deltaE(black!, [0, 0, 0])).toBeGreaterThan(10);
  });

  it('does not change transparency', async () => {
    const alphas = Array.from({ length: 256 }, (_, alpha) => alpha);
    const proofs = await proofOf(...alphas.map((alpha) => [0, 0, alpha, alpha]));
    expect(proofs.map((pixel) => (pixel as readonly number[])[3])).toEqual(alphas);
    expect(proofs[0]).toEqual([0, 0, 0, 0]);
    [13, 87, 156].forEach((value, c) =>
      expect(Math.abs(proofs[100]![c]! - (value * 100) / 255)).toBeLessThanOrEqual(1),
    );
  });

  it('does not change the level that it is made of', async () => {
    const data = Buffer.from([0, 0, 255, 255]);
    await softProof({ edge: 1, width: 1, height: 1, aspect: 1, data }, cmykProfile);
    expect([...data]).toEqual([0, 0, 255, 255]);
  });

  it('rejects a profile of another color space', async () => {
    const level = { edge: 1, width: 1, height: 1, aspect: 1, data: Buffer.alloc(4) };
    await expect(softProof(level, 'srgb')).rejects.toThrow('srgb is not a CMYK profile');
  });
});

const hasTransicc = spawnSync('transicc').error === undefined;
if (!hasTransicc && process.env.REQUIRE_COMMANDS?.split(' ').includes('transicc'))
  throw new Error('REQUIRE_COMMANDS: transicc not found');

/** Returns the numbers that transicc prints for a color. */
function transicc(from: string, to: string, intent: number, color: readonly number[]): number[] {
  const args = ['-n', '-i', from, '-o', to, '-t', String(intent)];
  const { stdout } = spawnSync('transicc', args, { input: `${color.join('\n')}\n`, encoding: 'utf8' });
  return stdout.trim().split(/\s+/).map(Number);
}

// A Debian package (liblcms2-utils), which `npm test` does not install
(hasTransicc ? describe : describe.skip)('LittleCMS', () => {
  it.each(patches)('prints %j in the recorded color', (color, printed) => {
    const ink = transicc('*sRGB', cmykProfile, 0, color);
    const back = transicc(cmykProfile, '*sRGB', 1, ink) as unknown as Rgb;
    expect(deltaE(back, printed)).toBeLessThan(0.1);
  });
});
