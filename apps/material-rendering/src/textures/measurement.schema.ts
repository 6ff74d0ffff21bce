import { z } from 'zod';
import type { Cut } from '#rendering/print/cut.js';
import type { PyramidLevel } from '#rendering/texture.js';
import { maxParts, type StoredPart } from './metadata/stored-parts.js';

/** Task for a decoding child process: measure a new image. */
export interface MeasureTask {
  readonly kind: 'measure';
  /** True if the reply contains the level that the image was decoded to. */
  readonly withLevel: boolean;
  /** Content of the file: the decoding process cannot read files of clients. */
  readonly bytes: Buffer;
}

/** Task to decode a stored image to one level of its pyramid, see `decodeLevel`. */
export interface LevelTask {
  readonly kind: 'level';
  /** Content of the file. */
  readonly bytes: Buffer;
  readonly edge: number;
}

/** Task to decode a part of a stored image, see `decodeCut`. */
export interface CutTask {
  readonly kind: 'cut';
  /** Content of the file. */
  readonly bytes: Buffer;
  readonly cut: Cut;
}

const pixels = z.int().positive();

/**
 * Reply to a `LevelTask`. Its number of bytes must match its pixels, which no later code checks.
 */
export const Level: z.ZodType<PyramidLevel> = z
  .object({ edge: pixels, width: pixels, height: pixels, aspect: z.number().positive(), data: z.instanceof(Buffer) })
  .refine(({ width, height, data }) => data.length === 4 * width * height);

/** Reply to a `CutTask`. */
export const CutPixels = z.object({ data: z.instanceof(Buffer) });
export type CutPixels = z.output<typeof CutPixels>;

/** Text for clients. */
const reason = z.string().max(200);
const part: z.ZodType<StoredPart> = z.union([
  z.strictObject({ from: z.int().nonnegative(), to: z.int().nonnegative() }),
  z.strictObject({ bytes: z.instanceof(Uint8Array) }),
  z.strictObject({ zeros: z.int().nonnegative() }),
]);

/**
 * Properties of an image that was decoded completely. Width and height are those after orientation.
 */
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
  animated: z.boolean(),
  /** The parts to store, without metadata; null for the unchanged file. */
  parts: z.array(part).max(maxParts).readonly().nullable(),
  level: Level.optional(),
});

/** Reply of a decoding child process to a `MeasureTask`. */
export const Measurement = z.discriminatedUnion('kind', [
  Measured,
  z.object({ kind: z.literal('too-large'), reason }),
  z.object({ kind: z.literal('not-decoded'), reason }),
]);
export type Measurement = Readonly<z.infer<typeof Measurement>>;
