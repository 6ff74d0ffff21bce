import { execFile } from 'node:child_process';
import { accessSync, constants, openSync, readSync, closeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { tintBlank } from '#rendering/blank.js';
import { clothTone } from '#rendering/cloth-tone.js';
import { type Layer } from '#blanks';
import { fullLight } from '#rendering/light.js';
import { place, unadjusted } from '#rendering/placement.js';
import { makePlan, type Plan } from '#rendering/plan.js';
import { sharp } from '#images';
import { type StoredMaterial } from './materials.js';

const run = promisify(execFile);

export const howToInstall = 'ImageMagick is not installed, so its column is left out: `apt-get install imagemagick`.';

/**
 * Returns the path of the binary, or undefined if ImageMagick is not installed. Skips wrapper
 * scripts, whose interpreter would add time.
 */
export async function findImageMagick(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const path of [join(folder, 'magick'), join(folder, 'convert')]) {
      if (!isProgram(path)) continue;
      const { stdout } = await run(path, ['-version']).catch(() => ({ stdout: '' }));
      if (/ImageMagick [67]/.test(stdout)) return path;
    }
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    const start = Buffer.alloc(2);
    const file = openSync(path, 'r');
    readSync(file, start);
    closeSync(file);
    return start.toString('latin1') !== '#!';
  } catch {
    return false;
  }
}

interface MockUp {
  readonly layer: Layer;
  readonly rgb: string;
  readonly edges: readonly number[];
}

/** Rectangle of the print before displacement, in pixels of the image. */
interface PrintRectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface PreparedCommand {
  readonly args: (artwork: string) => string[];
}

/**
 * The same mock-up with ImageMagick: the artwork is resized, displaced along the folds, multiplied
 * by the shade, masked and composed over the blank. Inputs that depend on the item only are
 * prepared as files of the right size. One thread, JPEG of the same quality.
 */
export class ImageMagick {
  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly prepared: ReadonlyMap<number, PreparedCommand>,
  ) {}

  static async with(program: string, mockUp: MockUp): Promise<ImageMagick> {
    const folder = await mkdtemp(join(tmpdir(), 'bench-render-'));
    const prepared = new Map<number, PreparedCommand>();
    for (const edge of mockUp.edges) prepared.set(edge, await prepare(folder, mockUp, edge));
    return new ImageMagick(program, folder, prepared);
  }

  async draw(material: StoredMaterial, edge: number): Promise<Buffer> {
    const { stdout } = await run(this.program, this.prepared.get(edge)!.args(material.path), {
      env: { ...process.env, MAGICK_THREAD_LIMIT: '1' },
      encoding: 'buffer',
    });
    return stdout;
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}

async function prepare(folder: string, { layer, rgb }: MockUp, edge: number): Promise<PreparedCommand> {
  const plan = await makePlan(layer, edge);
  const file = (name: string): string => join(folder, `${name}-${edge}.png`);
  const write = (name: string, channels: 1 | 3, pixels: Buffer) =>
    sharp(pixels, { raw: { width: edge, height: edge, channels } })
      .toColourspace(channels === 1 ? 'b-w' : 'srgb')
      .png()
      .toFile(file(name));
  await write('blank', 3, tintBlank(plan, clothTone(rgb)));
  await write('shade', 1, Buffer.from(plan.shade.map((value) => Math.min(255, (value * 255) / fullLight + 0.5))));
  const coverage = Buffer.alloc(edge * edge);
  for (const pixel of plan.pixels) coverage[pixel] = plan.ink[pixel]!;
  await write('mask', 1, coverage);
  const flat = printRectangleOf(plan);
  const reach = await writeDisplacement(plan, flat, file('displacement'));
  return { args: (artwork) => commandOf({ artwork, edge, file, reach, ...artworkIn(plan, flat) }) };
}

/** Returns the bounding box of the print area. */
function printRectangleOf({ edge, pixels, u, v }: Plan): PrintRectangle {
  let [left, top, right, bottom] = [edge, edge, 0, 0];
  for (const [i, pixel] of pixels.entries()) {
    if (u[i]! < 0 || u[i]! > 1 || v[i]! < 0 || v[i]! > 1) continue;
    const [x, y] = [pixel % edge, Math.floor(pixel / edge)];
    [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
  }
  return { left, top, width: right - left, height: bottom - top };
}

/** Returns the placement of a square artwork contained in the print area. */
function artworkIn({ layer }: Plan, flat: PrintRectangle): { size: string; canvas: (edge: number) => string } {
  const { artwork } = place({ areaAspect: layer.aspect, artworkAspect: 1, cover: false }, 'contain', unadjusted);
  const [left, top] = [
    Math.round(flat.left + artwork.left * flat.width),
    Math.round(flat.top + artwork.top * flat.height),
  ];
  const width = Math.round((artwork.right - artwork.left) * flat.width);
  const height = Math.round((artwork.bottom - artwork.top) * flat.height);
  return { size: `${width}x${height}!`, canvas: (edge) => `${edge}x${edge}-${left}-${top}` };
}

/**
 * Writes the displacement map: red is the horizontal and green the vertical source offset; 0.5 is
 * no offset, 0 and 1 are minus and plus `reach` pixels. Returns `reach`.
 */
async function writeDisplacement({ edge, pixels, u, v }: Plan, flat: PrintRectangle, path: string): Promise<number> {
  const moves = Array.from(pixels, (pixel, i) => [
    flat.left + u[i]! * flat.width - 0.5 - (pixel % edge),
    flat.top + v[i]! * flat.height - 0.5 - Math.floor(pixel / edge),
  ]);
  const reach = Math.ceil(moves.reduce((most, [x, y]) => Math.max(most, Math.abs(x!), Math.abs(y!)), 1));
  const map = new Uint16Array(3 * edge * edge).fill(32_768);
  for (const [i, pixel] of pixels.entries()) {
    for (const c of [0, 1]) map[3 * pixel + c] = Math.round(32_767.5 + (32_767.5 * moves[i]![c]!) / reach);
  }
  await sharp(map, { raw: { width: edge, height: edge, channels: 3 } })
    .toColourspace('rgb16')
    .png()
    .toFile(path);
  return reach;
}

interface Command {
  readonly artwork: string;
  readonly edge: number;
  readonly file: (name: string) => string;
  readonly reach: number;
  readonly size: string;
  readonly canvas: (edge: number) => string;
}

/**
 * Returns the command line. Alpha and light are processed separately, because ImageMagick's
 * multiply makes all pixels opaque.
 */
function commandOf({ artwork, edge, file, reach, size, canvas }: Command): string[] {
  const words = `${file('blank')}
    ( ${artwork} -alpha set -resize ${size} -background none -extent ${canvas(edge)}
      ${file('displacement')} -virtual-pixel transparent -define compose:args=${reach}x${reach} -compose displace -composite
      ( -clone 0 -alpha extract ${file('mask')} -compose multiply -composite )
      ( -clone 0 -alpha off ${file('shade')} -compose multiply -composite )
      -delete 0 +swap -alpha off -compose copy-opacity -composite )
    -compose over -composite -quality 80 jpg:-`;
  return words.trim().split(/\s+/);
}
