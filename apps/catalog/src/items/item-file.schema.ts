import { z } from 'zod';
import { type PrintTechnique, printTechniques, ResizeMode } from '#contracts';
import { rgbPattern } from './color.rules.js';

const id = z.int({ error: 'must be an integer' }).min(1, { error: 'must be 1 or more' });
const price = z.int({ error: 'must be an integer' }).min(0, { error: 'must be 0 or more' });
/**
 * A name, of characters that URLs contain unescaped: names of items, colors and sizes are part of
 * image and page URLs.
 */
const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'must consist of a-z, 0-9 and hyphens, 64 characters at most' });
const displayName = z.strictObject({ ja: z.string().min(1), en: z.string().min(1) });
const millimetres = z.strictObject({ width: z.number().positive(), height: z.number().positive() });
const pixels = z.strictObject({ width: z.int().positive(), height: z.int().positive() });

const techniques = Object.keys(printTechniques) as PrintTechnique[];
const positive = z.number().positive({ error: 'must be greater than 0' });
const notNegative = z.number().nonnegative({ error: 'must be 0 or more' });

/** Requirements of the printer of a place. Lengths are in millimetres. */
export const Printing = z.strictObject({
  technique: z.enum(techniques, { error: `must be ${techniques.join(', ')}` }),
  /** Resolution of print files. */
  dpi: positive,
  /** Width of the print beyond each edge of the area, which is cut or folded away. */
  bleed: notNegative,
  /** Width of the frame inside the area that may be cut away. */
  safeZone: notNegative,
  colorSpace: z.enum(['rgb', 'cmyk'], { error: 'must be rgb or cmyk' }),
  /** White ink below the print. The printer derives it from the alpha channel. */
  whiteUnderbase: z.enum(['none', 'dark-colors', 'always'], { error: 'must be none, dark-colors or always' }),
  /** Whether print files are mirrored, because they are printed on transfer paper. */
  mirror: z.boolean(),
  /** Parts of the area that a seam or a fold hides. Missing = none. */
  hidden: z.array(z.strictObject({ x: notNegative, y: notNegative, width: positive, height: positive })).optional(),
});
export type Printing = z.output<typeof Printing>;

export const Color = z.strictObject({
  id,
  name,
  displayName,
  rgb: z.string().regex(rgbPattern, { error: 'must be #rrggbb in lower case' }),
});
export const Size = z.strictObject({ id, name, displayName });
export const Category = z.strictObject({ name, displayName, displayOrder: z.int() });
export const PrintPlaceName = z.strictObject({ name, displayName });

const Variant = z.strictObject({
  id,
  color: name,
  size: name,
  /** Yen without tax and without the prices of print places. */
  price,
  enabled: z.boolean().default(true),
  /** Id of each print place of the variant, by the name of the place. */
  printPlaceIds: z.record(name, id),
});

export const Item = z.strictObject({
  id,
  name,
  displayName,
  category: name,
  displayOrder: z.int(),
  isEmbroidery: z.boolean(),
  resizeModes: z.array(ResizeMode).min(1),
  defaultPrintPlace: name,
  exemplaryVariantId: id,
  imageDescriptions: z.array(z.string().min(1)),
  /**
   * `price` is added when the place is printed; `pixels` is the recommended artwork size for
   * `millimetres`.
   */
  printPlaces: z.array(z.strictObject({ name, price, millimetres, pixels, printing: Printing })).min(1),
  /**
   * Angles in display order. The first essential angle is the representative one. Angles that are
   * not essential are extra angles.
   */
  angles: z.array(z.strictObject({ name, printPlace: name, essential: z.boolean() })),
  variants: z.array(Variant).min(1),
});

export type ColorFile = z.output<typeof Color>;
export type SizeFile = z.output<typeof Size>;
export type CategoryFile = z.output<typeof Category>;
export type PrintPlaceFile = z.output<typeof PrintPlaceName>;
export type ItemFile = z.output<typeof Item>;

export interface CatalogFiles {
  readonly colors: readonly ColorFile[];
  readonly sizes: readonly SizeFile[];
  readonly categories: readonly CategoryFile[];
  readonly printPlaces: readonly PrintPlaceFile[];
  readonly items: readonly ItemFile[];
}
