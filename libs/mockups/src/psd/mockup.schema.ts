import { z } from 'zod';
import { masterSide } from '../bundle/master.js';

const bytes = (length: number) => z.custom<Uint8Array>((it) => it instanceof Uint8Array && it.length === length);
const plane = bytes(masterSide ** 2);
const drawing = bytes(3 * masterSide ** 2);
const text = z.string().max(500);

/** Task of the child process that reads a PSD. */
export interface ReadTask {
  readonly bytes: Buffer;
  readonly printLayer: string | null;
  readonly colorLayer: string | null;
}

/** A PSD in our format. The child process that reads it may be compromised. */
export const Mockup = z.object({
  kind: z.literal('read'),
  shade: plane,
  mask: plane,
  gloss: plane,
  grid: z.object({
    x0: z.number(),
    y0: z.number(),
    step: z.number().positive(),
    cols: z.int().min(2).max(1_024),
    rows: z.int().min(2).max(1_024),
    /** Little-endian doubles, u and v of each node; NaN = no print. */
    uv: z.custom<Uint8Array>((it) => it instanceof Uint8Array),
  }),
  printLayer: text,
  /** Layer whose color is that of the item; null = the print area has the color of the item. */
  colorLayer: text.nullable(),
  /** Color of that layer, `#rrggbb`. */
  color: z.string().regex(/^#[0-9a-f]{6}$/),
  /** Width / height of the print area. */
  aspect: z.number().positive(),
  differences: z.array(z.object({ layer: text.optional(), feature: text, differs: z.boolean() })).max(10_000),
  /** RGB drawing of the layers with the test card. */
  reference: drawing,
  /**
   * Mean difference of the drawing of all layers to the one that is stored in the file, 0..255;
   * null if none is stored. It shows how much of the file is supported.
   */
  storedDifference: z.number().nonnegative().nullable(),
});
export type Mockup = z.output<typeof Mockup>;

/** Reply of the child process. */
export const Reply = z.discriminatedUnion('kind', [Mockup, z.object({ kind: z.literal('mistake'), message: text })]);
