import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharp } from '#images';

/** Edge of the artworks, in pixels. */
export const side = 2_000;

/** An artwork as an uploaded file. */
export interface Material {
  readonly name: 'flat PNG' | 'noisy PNG' | 'JPEG';
  readonly extension: 'png' | 'jpg';
  /** Width divided by height. */
  readonly aspect: number;
  readonly bytes: Buffer;
}

/** A material stored as a file for the decoder and ImageMagick. */
export interface StoredMaterial extends Material {
  readonly path: string;
}

/** Stores a material under a new name. */
export async function storeMaterial(material: Material, folder: string): Promise<StoredMaterial> {
  const path = join(folder, `${randomUUID()}.${material.extension}`);
  await writeFile(path, material.bytes);
  return { ...material, path };
}

/**
 * Generates the same images in every run: a flat badge with transparency, noise, which compresses
 * worst, and a soft photograph.
 */
export async function makeMaterials(): Promise<Material[]> {
  const [flat, noise, photograph] = [paint(4, badge), paint(3, noisy()), paint(3, soft)];
  return [
    { name: 'flat PNG', extension: 'png', aspect: 1, bytes: await raw(flat, 4).png().toBuffer() },
    { name: 'noisy PNG', extension: 'png', aspect: 1, bytes: await raw(noise, 3).png().toBuffer() },
    { name: 'JPEG', extension: 'jpg', aspect: 1, bytes: await raw(photograph, 3).jpeg({ quality: 90 }).toBuffer() },
  ];
}

const raw = (data: Buffer, channels: 3 | 4) => sharp(data, { raw: { width: side, height: side, channels } });

/** Paints an image. @param colorAt receives the centre of each pixel, 0..1 in both directions */
function paint(channels: 3 | 4, colorAt: (x: number, y: number) => readonly number[]): Buffer {
  const data = Buffer.allocUnsafe(channels * side * side);
  for (let i = 0; i < side * side; i++) {
    const color = colorAt(((i % side) + 0.5) / side, (Math.floor(i / side) + 0.5) / side);
    for (let c = 0; c < channels; c++) data[channels * i + c] = Math.min(255, Math.max(0, color[c]!));
  }
  return data;
}

/** Returns the coverage of a pixel, 0 to 1, by its distance to an edge. */
const coverageAt = (distance: number): number => Math.min(1, Math.max(0, distance * side + 0.5));

/** Rings, rays and fine stripes in flat colors, antialiased, on a transparent background. */
function badge(x: number, y: number): readonly number[] {
  const radius = Math.hypot(x - 0.5, y - 0.5);
  const coverage = 255 * coverageAt(0.46 - radius);
  if (radius < 0.18) return [...(Math.abs(y - 0.5) < 0.03 ? [250, 250, 250] : [204, 62, 48]), coverage];
  if (Math.abs(y - 0.82) < 0.04) return [...(Math.floor(x * 80) % 2 === 0 ? [20, 20, 20] : [255, 255, 255]), coverage];
  const ray = Math.floor((Math.atan2(y - 0.5, x - 0.5) / Math.PI + 1) * 12) % 2 === 0;
  return [...(radius > 0.42 ? [39, 75, 109] : ray ? [236, 196, 78] : [242, 226, 180]), coverage];
}

/** Noise over a color gradient. */
function noisy(): (x: number, y: number) => readonly number[] {
  let seed = 1;
  const noise = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed >>> 24) - 128;
  };
  return (x, y) => [255 * x + noise(), 255 * y + noise(), 128 + noise()];
}

/** Smooth areas with detail of every size. */
function soft(x: number, y: number): readonly number[] {
  const detail = [7, 31, 113, 311].reduce((sum, f) => sum + (Math.sin(x * f + 3 * y) * Math.cos(y * f - 2 * x)) / f, 0);
  const hill = y > 0.55 + 0.08 * Math.sin(9 * x) + detail ? 0.45 : 1;
  return [(250 - 120 * y) * hill + 300 * detail, (170 - 60 * y) * hill + 260 * detail, 90 + 110 * y * hill];
}
