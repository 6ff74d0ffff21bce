import { deband, dither } from './shade/deband.js';
import { enlarge } from './shade/enlarge.js';
import { addGrain, fabricTile } from './shade/fabric.js';
import { type Layer } from '#blanks';
import { sharp } from '#images';

/**
 * Layer, or the part of it that a close-up shows, scaled to one size. It contains everything about
 * an image that depends neither on the color nor on the artwork. All planes have `edge` x `edge`
 * bytes.
 */
export interface Plan {
  /** Without its files, so that a cached plan does not retain their memory. */
  readonly layer: Pick<Layer, 'aspect' | 'cover' | 'fabric' | 'printArea'>;
  readonly edge: number;
  /** Scale of the image where the surface shows the print largest. */
  readonly millimetresPerPixel: number;
  readonly shade: Buffer;
  readonly mask: Buffer;
  /** Coverage of the part that takes ink: `mask`, unless parts in the item's color have none. */
  readonly ink: Buffer;
  readonly gloss: Buffer;
  /**
   * Pixels that can carry ink: the index of each in the planes, and the print coordinates of its
   * centre.
   */
  readonly pixels: Uint32Array;
  readonly u: Float32Array;
  readonly v: Float32Array;
  /**
   * Size in pixels to which artwork for the whole print area is scaled: enough for the part of the
   * surface that shows the print largest.
   */
  readonly printWidth: number;
  readonly printHeight: number;
}

export const planBytes = ({ edge, mask, ink, pixels }: Plan): number =>
  (ink === mask ? 3 : 4) * edge * edge + 12 * pixels.length;

/** @param edge of the square image, in pixels */
export async function makePlan(layer: Layer, edge: number): Promise<Plan> {
  const plane = (image: Buffer): Promise<Buffer> => readPlane(image, layer, edge);
  const { aspect, cover, fabric, printArea } = layer;
  const [master, mask, gloss] = await Promise.all([
    plane(layer.images.shade),
    plane(layer.images.mask),
    plane(layer.images.gloss),
  ]);
  const ink = layer.images.ink ? await plane(layer.images.ink) : mask;
  const surface = interpolate(layer, edge, ink);
  const step = lowQuartileStep(surface, aspect);
  const millimetresPerPixel = step * printArea.width;
  const light = deband(master, mask, edge);
  if (fabric) addGrain(light, mask, edge, fabricTile(fabric, millimetresPerPixel));
  // 1.35 pixels of the artwork per image pixel where the surface shows the print largest: sharp,
  // without shimmer
  const printWidth = 1.35 / step;
  return {
    layer: { aspect, cover, fabric, printArea },
    edge,
    millimetresPerPixel,
    shade: dither(light, edge),
    mask,
    ink,
    gloss,
    ...surface,
    printWidth,
    printHeight: printWidth / aspect,
  };
}

/** Reads the visible part of one master image, scaled to `edge` x `edge` bytes. */
async function readPlane(image: Buffer, { crop, width }: Layer, edge: number): Promise<Buffer> {
  const { x: left, y: top, size } = crop;
  const whole = sharp(image);
  // Extracts only when necessary: libvips can decode an uncropped image at half its size, which is
  // faster
  const part = size < width ? whole.extract({ left, top, width: size, height: size }) : whole;
  // libvips shifts enlarged images by half a pixel to the right and down, which separates the
  // outline from the print
  if (edge > size) return enlarge(await part.toColourspace('b-w').raw().toBuffer(), size, edge);
  return part.toColourspace('b-w').resize(edge, edge, { kernel: 'lanczos3' }).raw().toBuffer();
}

type Surface = Pick<Plan, 'pixels' | 'u' | 'v'>;

/**
 * Returns the print coordinates of all pixels that take ink, interpolated bilinearly between the
 * nodes of the grid.
 */
function interpolate(layer: Layer, edge: number, ink: Buffer): Surface {
  const { step, cols, rows, scale, outside } = layer.uv;
  const { nodes, crop } = layer;
  const x0 = layer.uv.x0 - crop.x;
  const y0 = layer.uv.y0 - crop.y;
  const perPixel = crop.size / edge;
  const first = (origin: number): number => Math.max(0, Math.ceil(origin / perPixel - 0.5));
  const last = (origin: number, count: number): number =>
    Math.min(edge - 1, Math.floor((origin + (count - 1) * step) / perPixel - 0.5));
  const [left, right, top, bottom] = [first(x0), last(x0, cols), first(y0), last(y0, rows)];
  const capacity = Math.max(0, right - left + 1) * Math.max(0, bottom - top + 1);
  const pixels = new Uint32Array(capacity);
  const u = new Float32Array(capacity);
  const v = new Float32Array(capacity);
  let count = 0;
  for (let y = top; y <= bottom; y++) {
    const q = ((y + 0.5) * perPixel - y0) / step;
    const j = Math.min(rows - 2, Math.floor(q));
    const b = q - j;
    for (let x = left; x <= right; x++) {
      if (ink[y * edge + x] === 0) continue;
      const p = ((x + 0.5) * perPixel - x0) / step;
      const i = Math.min(cols - 2, Math.floor(p));
      const n = 2 * (j * cols + i);
      const m = n + 2 * cols;
      if (nodes[n] === outside || nodes[n + 2] === outside || nodes[m] === outside || nodes[m + 2] === outside)
        continue;
      const a = p - i;
      const w11 = a * b;
      const w10 = a - w11;
      const w01 = b - w11;
      const w00 = 1 - a - w01;
      pixels[count] = y * edge + x;
      u[count] = (w00 * nodes[n]! + w10 * nodes[n + 2]! + w01 * nodes[m]! + w11 * nodes[m + 2]!) / scale;
      v[count] = (w00 * nodes[n + 1]! + w10 * nodes[n + 3]! + w01 * nodes[m + 1]! + w11 * nodes[m + 3]!) / scale;
      count++;
    }
  }
  return { pixels: pixels.slice(0, count), u: u.slice(0, count), v: v.slice(0, count) };
}

/**
 * Returns the distance on the print between horizontally adjacent pixels, in widths of the print
 * area: the 25 % quantile inside the area. The distance is physical and includes both axes, so that
 * a surface that leans or curves does not distort it. A low quantile is determined by the side that
 * faces the camera.
 */
function lowQuartileStep({ pixels, u, v }: Surface, aspect: number): number {
  const every = Math.max(1, Math.floor(pixels.length / 20_000));
  const steps: number[] = [];
  for (let i = 1; i < pixels.length; i += every) {
    const inside = u[i]! >= 0 && u[i]! <= 1 && v[i]! >= 0 && v[i]! <= 1;
    if (!inside || pixels[i]! - pixels[i - 1]! !== 1) continue;
    steps.push(Math.hypot(u[i]! - u[i - 1]!, (v[i]! - v[i - 1]!) / aspect));
  }
  steps.sort((a, b) => a - b);
  const step = steps[steps.length >> 2];
  if (!step) throw new Error('the print area of a layer is outside the image');
  return step;
}
