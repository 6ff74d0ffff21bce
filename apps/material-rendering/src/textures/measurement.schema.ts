import { z } from 'zod';
import type { PyramidLevel } from '../pipeline/texture.js';
import { maxParts, type StoredPart } from './metadata/stored-parts.js';

/** What goes to a decoding child process: measure an image that nobody has looked at. */
export interface MeasureTask {
  readonly kind: 'measure';
  /** Of the file: the process that decodes can read no file of clients. */
  readonly bytes: Buffer;
}

/** Decode a stored image to one level of its pyramid, see `decodeLevel`. */
export interface LevelTask {
  readonly kind: 'level';
  /** Of the file. */
  readonly bytes: Buffer;
  readonly edge: number;
}

const pixels = z.int().positive();
/** Clients read it. */
const reason = z.string().max(200);
const part: z.ZodType<StoredPart> = z.union([
  z.strictObject({ from: z.int().nonnegative(), to: z.int().nonnegative() }),
  z.strictObject({ bytes: z.instanceof(Uint8Array) }),
  z.strictObject({ zeros: z.int().nonnegative() }),
]);

/** Facts of an image that was decoded to its last pixel. Pixels are counted after orientation. */
const Measured = z.object({
  kind: z.literal('measured'),
  format: z.string().max(20),
  width: pixels,
  height: pixels,
  /** `#rrggbb`; null when nothing is visible. */
  dominantRgb: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .nullable(),
  /** What to store, without metadata; null: the file as it is. */
  parts: z.array(part).max(maxParts).readonly().nullable(),
});

/** What a decoding child process replies to a `MeasureTask`. */
export const Measurement = z.discriminatedUnion('kind', [
  Measured,
  z.object({ kind: z.literal('too-large'), reason }),
  z.object({ kind: z.literal('not-decoded'), reason }),
]);
export type Measurement = Readonly<z.infer<typeof Measurement>>;

/** What it replies to a `LevelTask`: as many bytes as pixels need, which nobody else counts. */
export const Level: z.ZodType<PyramidLevel> = z
  .object({ edge: pixels, width: pixels, height: pixels, aspect: z.number().positive(), data: z.instanceof(Buffer) })
  .refine(({ width, height, data }) => data.length === 4 * width * height);
