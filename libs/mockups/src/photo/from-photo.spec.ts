import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DomainError } from '#kernel';
import { tintBlank } from '#rendering/blank.js';
import { over } from '#rendering/over.js';
import { makePlan, type Plan } from '#rendering/plan.js';
import { warp } from '#rendering/warp.js';
import { sharp } from '#images';
import { blanksFolder, checkBundle, packLayers, readCatalogFiles, readPackedLayers } from '#blanks';
import { masterSide } from '../bundle/master.js';
import { bundleFromPhotos } from './from-photo.js';

// Rendered by POV-Ray from bottle.pov: `truth.jpg` has a print of dots
const bottle = join(dirname(fileURLToPath(import.meta.url)), 'testing', 'bottle');
const photoSide = 1_600;

/** Distances of the dots of truth.jpg, in millimetres. */
const [pitchX, pitchY] = [12, 80 / 7];
const dots = Array.from({ length: 56 }, (_, i) => ({ x: 4 + pitchX * (i % 7), y: 5 + pitchY * Math.floor(i / 7) }));
const radius = 1.6;

function toNearestDot(x: number, y: number): number {
  const column = Math.max(0, Math.min(6, Math.round((x - 4) / pitchX)));
  const row = Math.max(0, Math.min(7, Math.round((y - 5) / pitchY)));
  return Math.hypot(x - 4 - pitchX * column, y - 5 - pitchY * row);
}

/** Draws the dots on the blank as the renderer does. */
function withDots(plan: Plan, blank: Buffer): Buffer {
  const { width: areaWidth, height: areaHeight } = plan.layer.printArea;
  const [width, height] = [Math.ceil(plan.printWidth), Math.ceil(plan.printHeight)];
  const data = Buffer.alloc(4 * width * height);
  for (let y = 0, o = 3; y < height; y++)
    for (let x = 0; x < width; x++, o += 4) {
      const at = { x: ((x + 0.5) * areaWidth) / width, y: ((y + 0.5) * areaHeight) / height };
      const distance = toNearestDot(at.x, at.y);
      data[o] = 255 * Math.max(0, Math.min(1, ((radius - distance) * width) / areaWidth + 0.5));
    }
  const level = { edge: Math.max(width, height), width, height, aspect: width / height, data };
  const whole = { left: 0, top: 0, right: 1, bottom: 1 };
  return over(blank, warp(plan, level, { artwork: whole, ink: whole }));
}

/** Returns the centre of what is darker than the blank around a point. */
function centreOf(blank: Uint8Array, dotted: Uint8Array, side: number, around: { x: number; y: number }) {
  const reach = (18 * side) / masterSide;
  let [sum, x, y] = [0, 0, 0];
  for (let row = Math.floor(around.y - reach); row <= around.y + reach; row++)
    for (let column = Math.floor(around.x - reach); column <= around.x + reach; column++) {
      const at = 3 * (row * side + column) + 1;
      const darker = blank[at]! - dotted[at]!;
      if (darker < 8) continue;
      sum += darker;
      x += darker * (column + 0.5);
      y += darker * (row + 0.5);
    }
  return { x: (x / sum) * (masterSide / side), y: (y / sum) * (masterSide / side) };
}

const rgbOf = (file: string): Promise<Buffer> => sharp(join(bottle, file)).raw().toBuffer();

describe('a bundle from photos', () => {
  it('has no mistake, and its print within a pixel of 1200 of a print that was photographed', async () => {
    const startedAt = performance.now();
    const { name, files, angles } = await bundleFromPhotos(join(bottle, 'description.json'));
    const seconds = (performance.now() - startedAt) / 1_000;
    const { errors } = await checkBundle(files, readCatalogFiles(blanksFolder));
    expect(errors).toEqual([]);

    const plan = await makePlan(readPackedLayers(packLayers(files).bytes, name).get('front')!, masterSide);
    const blank = tintBlank(plan, angles[0]!.color);
    const dotted = withDots(plan, blank);
    const [photo, truth] = await Promise.all([rgbOf('blank.jpg'), rgbOf('truth.jpg')]);
    const distances = dots.map((dot) => {
      const expected = pixelOf(plan, dot);
      const ours = centreOf(blank, dotted, masterSide, expected);
      const scale = photoSide / masterSide;
      const theirs = centreOf(photo, truth, photoSide, { x: expected.x * scale, y: expected.y * scale });
      return Math.hypot(ours.x - theirs.x, ours.y - theirs.y);
    });
    const mean = distances.reduce((a, b) => a + b) / distances.length;
    const worst = Math.max(...distances);
    console.info(
      `${dots.length} dots: mean ${mean.toFixed(3)}, worst ${worst.toFixed(3)} of 1200 pixels; ${seconds.toFixed(1)} s`,
    );
    expect(worst).toBeLessThan(1);
    expect(mean).toBeLessThan(0.3);
  });
});

/** Returns the pixel of a plan that shows a point of the print area. */
function pixelOf({ pixels, u, v, layer, edge }: Plan, point: { x: number; y: number }) {
  const { width, height } = layer.printArea;
  let [best, distance] = [0, Infinity];
  for (let i = 0; i < pixels.length; i++) {
    const squared = (u[i]! * width - point.x) ** 2 + (v[i]! * height - point.y) ** 2;
    if (squared < distance) [best, distance] = [pixels[i]!, squared];
  }
  return { x: (best % edge) + 0.5, y: Math.floor(best / edge) + 0.5 };
}

describe('a description of photos', () => {
  let folder: string;
  let description: Record<string, unknown>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'from-photo-'));
    await cp(bottle, folder, { recursive: true });
    description = JSON.parse(await readFile(join(bottle, 'description.json'), 'utf8'));
    await writeFile(join(folder, 'cut.jpg'), (await readFile(join(bottle, 'blank.jpg'))).subarray(0, 20_000));
    await writeFile(join(folder, 'text.jpg'), 'no image');
    await sharp(join(bottle, 'blank.jpg')).resize(1_300).toFile(join(folder, 'smaller.jpg'));
    await sharp(join(bottle, 'blank.jpg')).gif().toFile(join(folder, 'blank.gif'));
    await sharp(join(bottle, 'mask.png')).linear(0).toFile(join(folder, 'empty.png'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const angle = (change: object) => ({ angles: [{ ...(description['angles'] as object[])[0], ...change }] });
  const markers = (change: object) => {
    const { area } = (description['angles'] as { area: { markers: object } }[])[0]!;
    return angle({ area: { markers: { ...area.markers, ...change } } });
  };
  const square = [
    [400, 600],
    [1_100, 600],
    [1_100, 1_300],
    [400, 1_300],
  ];

  it.each<[string, () => object, string, string]>([
    ['without a name', () => ({ name: undefined }), 'name', 'is required'],
    ['with an unknown field', () => ({ color: 'red' }), '', 'Unrecognized key: "color"'],
    ['with a negative price', () => ({ price: -1 }), 'price', 'must be 0 or more'],
    ['of an unknown place', () => angle({ place: 'back' }), 'angles.0.place', 'back is not in places'],
    [
      'of a photo in another folder',
      () => angle({ photo: '../a.jpg' }),
      'angles.0.photo',
      'must be the name of a file',
    ],
    ['of a missing photo', () => angle({ photo: 'a.jpg' }), 'angles.0.photo', 'cannot be read'],
    ['of a truncated photo', () => angle({ photo: 'cut.jpg' }), 'angles.0.photo', 'is damaged'],
    ['of a text', () => angle({ photo: 'text.jpg' }), 'angles.0.photo', 'is not an image'],
    ['of a GIF', () => angle({ photo: 'blank.gif' }), 'angles.0.photo', 'is not a JPEG, PNG or WebP image'],
    [
      'with a crop that is too large',
      () => angle({ crop: { x: 9, y: 0, size: 1_600 } }),
      'angles.0.crop',
      'reaches beyond',
    ],
    [
      'with a crop that is too small',
      () => angle({ crop: { x: 0, y: 0, size: 900 } }),
      'angles.0.crop',
      'has 900 pixels, 1200',
    ],
    ['of a black blank', () => angle({ blankColor: '#202020' }), 'angles.0.blankColor', '32, 32, 32 is too dark'],
    ['with a mask of another size', () => angle({ mask: 'smaller.jpg' }), 'angles.0.mask', 'has 1300 x 1300 pixels'],
    ['with an empty mask', () => angle({ mask: 'empty.png' }), 'angles.0.mask', 'covers nothing'],
    [
      'with a line as a mask',
      () =>
        angle({
          mask: [
            [0, 0],
            [9, 9],
          ],
        }),
      'angles.0.mask',
      'expected array to have >=3 items',
    ],
    [
      'with two areas',
      () => angle({ area: { corners: square, mesh: { columns: 2, rows: 2, points: square } } }),
      'angles.0.area',
      'must have one of corners',
    ],
    ['without an area', () => angle({ area: {} }), 'angles.0.area', 'must have one of corners'],
    ['with three corners', () => angle({ area: { corners: square.slice(1) } }), 'angles.0.area.corners', 'must have 4'],
    [
      'with mirrored corners',
      () => angle({ area: { corners: square.toReversed() } }),
      'angles.0.area.corners',
      'must be upper',
    ],
    [
      'with a mesh that lacks points',
      () => angle({ area: { mesh: { columns: 2, rows: 3, points: square } } }),
      'angles.0.area.mesh.points',
      'must be columns x rows',
    ],
    [
      'with a folded mesh',
      () => angle({ area: { mesh: { columns: 2, rows: 2, points: square } } }),
      'angles.0.area.mesh',
      'is folded or mirrored',
    ],
    [
      'with an area beside the photo',
      () => angle({ area: { corners: square.map(([x, y]) => [x! + 3_000, y]) } }),
      'layers/front',
      'is not visible',
    ],
    [
      'without markers in the photo',
      () => markers({ photo: 'blank.jpg' }),
      'angles.0.area.markers.photo',
      'no grid of markers',
    ],
    [
      'with other markers',
      () => markers({ columns: 10 }),
      'angles.0.area.markers.photo',
      'a grid of 121 markers was found, in 11 columns',
    ],
    [
      'with markers of another camera',
      () => markers({ photo: 'smaller.jpg' }),
      'angles.0.area.markers.photo',
      'has 1300',
    ],
    [
      'with markers beside the area',
      () => markers({ first: { x: 900, y: 0 } }),
      'angles.0.area.markers.first',
      'places all markers',
    ],
  ])('%s is rejected with one message', async (_, change, path, message) => {
    const file = join(folder, 'changed.json');
    await writeFile(file, JSON.stringify({ ...description, ...change() }));
    const error: unknown = await bundleFromPhotos(file).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(DomainError);
    expect((error as DomainError).errors).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  it('that is a pipe, or has a photo that is one, is rejected without waiting for a writer', async () => {
    const pipe = join(folder, 'pipe.jpg');
    execFileSync('mkfifo', [pipe]);
    await expect(bundleFromPhotos(pipe)).rejects.toThrow('no regular file');
    const file = join(folder, 'changed.json');
    await writeFile(file, JSON.stringify({ ...description, ...angle({ photo: 'pipe.jpg' }) }));
    await expect(bundleFromPhotos(file)).rejects.toThrow('angles.0.photo is a link or no regular file');
  });

  it('that is not JSON, or missing, is rejected', async () => {
    await expect(bundleFromPhotos(join(folder, 'text.jpg'))).rejects.toThrow('is not JSON');
    await expect(bundleFromPhotos(join(folder, 'missing.json'))).rejects.toThrow('cannot be read');
  });
});
