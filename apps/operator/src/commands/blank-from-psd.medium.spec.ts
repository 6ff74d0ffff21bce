import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Layer as PsdLayer } from 'ag-psd';
import { type Layer, openBundle, packLayers, readPackedLayers } from '#blanks';
import {
  colorFill,
  customWarp,
  group,
  layerOf,
  maskOf,
  meshPoints,
  psdOf,
  smartObject,
} from '../../../../libs/mockups/src/psd/testing/psd-file.js';
import { psdBundle, readPsd } from '#mockups';
import { type Report } from '../command-line/command.js';
import { drawLayer } from '#rendering/draw-layer.js';
import { fromPsd } from './blank-from-psd.js';

interface Point {
  readonly x: number;
  readonly y: number;
}
type Map2 = (u: number, v: number) => Point;
type Corners = [[number, number], [number, number], [number, number], [number, number]];

/** A document, and where it shows the content, as a formula. */
interface Case {
  readonly psd: Buffer;
  /** In pixels of the document. */
  readonly truth: Map2;
  readonly frame?: { readonly width: number; readonly height: number };
}

/** Returns the formula in pixels of the master: the document is in its middle. */
function inMaster({ truth, frame = { width: size, height: size } }: Case): Map2 {
  const scale = edge / Math.max(frame.width, frame.height);
  const [left, top] = [(edge - frame.width * scale) / 2, (edge - frame.height * scale) / 2];
  return (u, v) => ({ x: left + scale * truth(u, v).x, y: top + scale * truth(u, v).y });
}

/** Edge of the documents, in pixels: small ones, because each is painted here. */
const size = 400;
/** Edge of the master, in pixels. */
const edge = 1_200;
const content = { width: 800, height: 600 };

/** Image of 0..1 under a matrix of 3 x 3, row by row. */
const projected =
  ([a, b, c, d, e, f, g, h]: readonly number[]): Map2 =>
  (u, v) => {
    const w = g! * u + h! * v + 1;
    return { x: (a! * u + b! * v + c!) / w, y: (d! * u + e! * v + f!) / w };
  };
const cornersOf = (map: Map2): Corners =>
  (
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ] as const
  ).map(([u, v]) => [map(u, v).x, map(u, v).y]) as Corners;

const upright = projected([200, 0, 100, 0, 150, 125, 0, 0]);
const rotated = projected([173.333, -75, 140, 100, 130, 86.667, 0, 0]);
const skewed = projected([186.667, 46.667, 80, 20, 160, 110, 0, 0]);
const mild = projected([213.333, 10, 93.333, 13.333, 156.667, 116.667, 0.12, 0.08]);
const strong = projected([300, 73.333, 86.667, -13.333, 300, 100, 0.35, 0.7]);

/** De Casteljau's algorithm: not the one of the code under test. */
function casteljau(values: readonly number[], t: number): number {
  if (values.length === 1) return values[0]!;
  return casteljau(
    values.slice(1).map((value, i) => values[i]! + (value - values[i]!) * t),
    t,
  );
}

/** Smart object with a mesh of patches whose points are moved, then with a perspective. */
function warped(map: Map2, patches: readonly [number, number], move: (u: number, v: number) => Point): Warped {
  const points = meshPoints(patches, (u, v) => {
    const { x, y } = move(u, v);
    return { x: (u + x) * content.width, y: (v + y) * content.height };
  });
  const perRow = 3 * patches[0] + 1;
  const truth: Map2 = (u, v) => {
    const [column, row] = [
      Math.min(patches[0] - 1, Math.floor(u * patches[0])),
      Math.min(patches[1] - 1, Math.floor(v * patches[1])),
    ];
    const [s, t] = [u * patches[0] - column, v * patches[1] - row];
    const axis = (name: 'x' | 'y') =>
      casteljau(
        [0, 1, 2, 3].map((j) =>
          casteljau(
            [0, 1, 2, 3].map((i) => points[(3 * row + j) * perRow + 3 * column + i]![name]),
            s,
          ),
        ),
        t,
      );
    return map(axis('x') / content.width, axis('y') / content.height);
  };
  const isOnePatch = patches[0] * patches[1] === 1;
  const warp = customWarp(points, content.width, content.height, isOnePatch ? undefined : [...patches]);
  return { truth, warp, corners: cornersOf(map) };
}
interface Warped {
  readonly truth: Map2;
  readonly corners: Corners;
  readonly warp?: ReturnType<typeof customWarp>;
}
const flat = (map: Map2): Warped => ({ truth: map, corners: cornersOf(map) });

const whole = { left: 0, top: 0, width: size, height: size };
const wall = layerOf('Wall', whole, (_, y) => {
  const grey = 0.93 - (0.1 * y) / size;
  return [grey, grey, grey, 1];
});
const item = (more: PsdLayer = {}) =>
  colorFill('Color', [1, 1, 1], size, {
    mask: maskOf(size, (x, y) => (Math.max(Math.abs(x - 200), Math.abs(y - 200)) < 180 ? 1 : 0)),
    ...more,
  });
const waves = (name: string, low: number, high: number, more: PsdLayer) =>
  layerOf(
    name,
    whole,
    (x, y) => {
      const grey = low + (high - low) * (0.5 + 0.5 * Math.sin(x / 32) * Math.cos(y / 44));
      return [grey, grey, grey, 1];
    },
    more,
  );
const shadow = waves('Shadow', 0.7, 1, { blendMode: 'multiply' });

/** Encodes a document with a white item and the smart object between other layers. */
function scene(placed: Warped, above: PsdLayer[] = [shadow], printMore: PsdLayer = {}): Case {
  const { truth, corners, warp } = placed;
  const print = smartObject('Print', { ...content, corners, ...(warp && { warp }), ...printMore });
  return { psd: psdOf(size, [wall, item(), print, ...above]), truth };
}

const wavy = (u: number, v: number): Point => ({ x: 0.05 * Math.sin(7 * v), y: 0.06 * Math.sin(5 * u) });
const bulge = (u: number, v: number): Point => ({
  x: 0.15 * (u - 0.5) * v * (1 - v),
  y: 0.3 * (v - 0.5) * u * (1 - u),
});
const bent = (u: number): Point => ({ x: 0, y: 0.25 * u * (1 - u) });
const lit = (blendMode: PsdLayer['blendMode'], low: number, high: number, more: PsdLayer = {}) =>
  waves('Light', low, high, { blendMode: blendMode!, ...more });

/** Non-square and small documents: the frame of the master is another one. */
function otherFrame(width: number, height: number): Case {
  const map = projected([0.5 * width, 5, 0.25 * width, 9, 0.4 * height, 0.28 * height, 0.1, 0.05]);
  const print = smartObject('Print', { ...content, corners: cornersOf(map) });
  const grey = layerOf('Wall', { left: 0, top: 0, width, height }, () => [0.9, 0.9, 0.9, 1]);
  return { psd: psdOf(width, [grey, print], { height }), truth: map, frame: { width, height } };
}

/** Photoshop stores an affine approximation as `transform` beside the perspective. */
function approximated(): Case {
  const print = smartObject('Print', { ...content, corners: cornersOf(mild) });
  const placed = print.placedLayer!;
  Object.assign(placed, { nonAffineTransform: placed.transform, transform: cornersOf(upright).flat() });
  return { psd: psdOf(size, [wall, item(), print]), truth: mild };
}

const places: Readonly<Record<string, () => Case>> = {
  upright: () => scene(flat(upright)),
  rotated: () => scene(flat(rotated)),
  skewed: () => scene(flat(skewed)),
  perspective: () => scene(flat(mild)),
  'strong perspective': () => scene(flat(strong)),
  'perspective beside an affine transform': approximated,
  'warp of 4 x 4 points': () => scene(warped(upright, [1, 1], bulge)),
  'bent warp': () => scene(warped(upright, [1, 1], bent)),
  'warp and rotation': () => scene(warped(rotated, [1, 1], bulge)),
  'warp and perspective': () => scene(warped(mild, [1, 1], wavy)),
  'warp of 2 x 2 patches': () => scene(warped(upright, [2, 2], wavy)),
  'warp of 3 x 3 patches': () => scene(warped(upright, [3, 3], wavy)),
  'warp of 3 x 3 patches and perspective': () => scene(warped(mild, [3, 3], wavy)),
  'wide document': () => otherFrame(600, 320),
  'small document': () => otherFrame(250, 320),
};

const lights: Readonly<Record<string, () => Case>> = {
  'mask of the print': () =>
    scene(flat(mild), [shadow], { mask: maskOf(size, (x, y) => (Math.hypot(x - 200, y - 200) < 187 ? 1 : 0)) }),
  'print clipped to the color': () => scene(flat(rotated), [lit('screen', 0, 0.25)], { clipping: true }),
  'group that is passed through': () => {
    const { corners } = flat(mild);
    const print = smartObject('Print', { ...content, corners });
    return {
      psd: psdOf(size, [wall, group('Item', [item(), print, shadow], 'pass through', { opacity: 0.9 })]),
      truth: mild,
    };
  },
  'isolated group': () => {
    const print = smartObject('Print', { ...content, corners: cornersOf(skewed) });
    return { psd: psdOf(size, [wall, group('Item', [item(), print], 'multiply'), shadow]), truth: skewed };
  },
  'print that multiplies': () => scene(flat(mild), [shadow], { blendMode: 'multiply' }),
  screen: () => scene(flat(upright), [lit('screen', 0, 0.4)]),
  overlay: () => scene(flat(upright), [lit('overlay', 0.42, 0.58)]),
  'soft light': () => scene(flat(upright), [lit('soft light', 0.3, 0.7)]),
  'opacity and fill': () => scene(flat(upright), [waves('Shadow', 0, 0.2, { opacity: 0.5, fillOpacity: 0.5 })]),
};

/** Cases that differ little from others. They run with ALL_COMBINATIONS=1. */
const similar = [
  ...['upright', 'rotated', 'skewed', 'perspective', 'warp of 4 x 4 points', 'bent warp', 'warp and rotation'],
  ...['warp of 2 x 2 patches', 'warp of 3 x 3 patches', 'isolated group', 'print that multiplies', 'soft light'],
];
const namesOf = (cases: object): string[] =>
  Object.keys(cases).filter((name) => process.env.ALL_COMBINATIONS === '1' || !similar.includes(name));

const dotsAt = [0.1, 0.5, 0.9];
const dots = dotsAt.flatMap((v) => dotsAt.map((u) => ({ u, v })));
const radius = 0.03;
function isInDot(u: number, v: number): boolean {
  const toDot = (value: number): number => value - (value < 0.3 ? 0.1 : value < 0.7 ? 0.5 : 0.9);
  const [x, y] = [toDot(u), (toDot(v) * content.height) / content.width];
  return x * x + y * y < radius * radius;
}

/** Centre of the pixels of a dot, by the formula. */
function expectedCentre(truth: Map2, dot: { u: number; v: number }): Point {
  let [sum, x, y] = [0, 0, 0];
  const small = 1e-4;
  for (let j = -20; j <= 20; j++)
    for (let i = -20; i <= 20; i++) {
      const [u, v] = [dot.u + (i / 20) * radius, dot.v + ((j / 20) * radius * content.width) / content.height];
      if (Math.hypot(i, j) > 20) continue;
      const [at, right, below] = [truth(u, v), truth(u + small, v), truth(u, v + small)];
      const area = Math.abs((right.x - at.x) * (below.y - at.y) - (below.x - at.x) * (right.y - at.y));
      sum += area;
      x += area * at.x;
      y += area * at.y;
    }
  return { x: x / sum, y: y / sum };
}

/** Centre of the dark pixels around a point: those whose green is less than their red. */
function drawnCentre(drawing: Uint8Array, { x: cx, y: cy }: Point): Point {
  let [sum, x, y] = [0, 0, 0];
  const reach = 48;
  for (let row = Math.max(0, Math.floor(cy - reach)); row < Math.min(edge, cy + reach); row++)
    for (let column = Math.max(0, Math.floor(cx - reach)); column < Math.min(edge, cx + reach); column++) {
      const o = 3 * (row * edge + column);
      const part = Math.max(0, (drawing[o]! - drawing[o + 1]!) / Math.max(20, drawing[o]!));
      sum += part;
      x += part * (column + 0.5);
      y += part * (row + 0.5);
    }
  return { x: x / sum, y: y / sum };
}

async function worstDistance(layer: Layer, truth: Map2): Promise<number> {
  // The light is grey, so that red is the drawing of white artwork, and green that of dots
  const drawing = await drawLayer(layer, '#ffffff', (u, v) => [1, isInDot(u, v) ? 0 : 1, 0]);
  const distances = dots.map((dot) => {
    const expected = expectedCentre(truth, dot);
    const drawn = drawnCentre(drawing, expected);
    return Math.hypot(drawn.x - expected.x, drawn.y - expected.y);
  });
  return Math.max(...distances);
}

describe('blank from-psd', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'from-psd-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs the command for a document. */
  async function run(psd: Buffer, flags: object = {}) {
    const [path, out] = [join(folder, 'mockup.psd'), join(folder, 'box')];
    await writeFile(path, psd);
    const report = (await fromPsd.run(undefined as never, {
      path,
      out,
      area,
      ...flags,
    })) as Report;
    return { report, out };
  }

  const area = { width: 120, height: 90 };
  const figures: string[] = [];
  afterAll(() => console.info(figures.join('\n')));

  it.each(namesOf(places))('puts the print where the PSD does: %s', async (name) => {
    const shown = places[name]!();
    const path = join(folder, 'mockup.psd');
    await writeFile(path, shown.psd);
    // Without the report, which takes most of the time
    const mockup = await readPsd(path, { printLayer: null, colorLayer: null });
    const { files } = await psdBundle(mockup, { area }, 'box', new Map());
    const layer = readPackedLayers(packLayers(files).bytes, 'box').get('front')!;
    const distance = await worstDistance(layer, inMaster(shown));
    figures.push(`${name}: ${distance.toFixed(2)} px of 1200`);
    expect(distance).toBeLessThan(1);
  });

  it.each(namesOf(lights))('puts and lights the print as the PSD does: %s', async (name) => {
    const shown = lights[name]!();
    const { report, out } = await run(shown.psd);
    expect(report.isGood ? '' : report.text).toBe('');
    const layer = readPackedLayers(packLayers(await openBundle(out)).bytes, 'box').get('front')!;
    const distance = await worstDistance(layer, inMaster(shown));
    const { difference } = report.data as { difference: { mean: number; most: number } };
    figures.push(
      `${name}: ${distance.toFixed(2)} px of 1200; light: mean ${difference.mean.toFixed(1)}, 99 % ${difference.most} of 255`,
    );
    expect(distance).toBeLessThan(1);
    // White is 250 here. Light of our format is not exact for two of the modes, which are named
    const isExact = !['overlay', 'soft light'].includes(name);
    expect(difference.mean).toBeLessThan(isExact ? 4 : 7);
    expect(difference.most).toBeLessThan(isExact ? 10 : 25);
  });

  it('keeps item.json and icon.svg, and takes the area from them', async () => {
    const { psd } = places.upright!();
    const { out } = await run(psd, { item: 'my-box', price: 900 });
    const edited = (await readFile(join(out, 'item.json'), 'utf8')).replace('900', '1234');
    await writeFile(join(out, 'item.json'), edited);
    const { report } = await run(psd, { area: undefined });
    expect(report.isGood).toBe(true);
    expect(await readFile(join(out, 'item.json'), 'utf8')).toBe(edited);
  });

  it('rejects an area of another aspect ratio', async () => {
    const { psd } = places.upright!();
    await expect(run(psd, { area: { width: 90, height: 90 } })).rejects.toThrow(
      'area is 90 x 90 mm, but the smart object has an aspect ratio of 1.333 : 1',
    );
  });

  it('rejects a description that is a pipe or too large', async () => {
    const { psd } = places.upright!();
    const [pipe, large] = [join(folder, 'pipe'), join(folder, 'large.json')];
    execFileSync('mkfifo', [pipe]);
    await writeFile(large, ' '.repeat(70_000));
    await expect(run(psd, { description: pipe })).rejects.toThrow('no regular file');
    await expect(run(psd, { description: large })).rejects.toThrow('is larger than 64 KB');
  });

  it('reports mistakes of the bundle and writes nothing', async () => {
    const { report, out } = await run(places.upright!().psd, { category: 'boxes' });
    expect(report.isGood).toBe(false);
    expect(report.text).toContain('item.json:category: boxes is not in categories.json');
    await expect(openBundle(out)).rejects.toThrow();
  });
});
