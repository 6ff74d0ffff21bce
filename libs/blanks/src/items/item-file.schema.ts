import { z } from 'zod';
import { type PrintTechnique, printTechniques, ResizeMode } from '#contracts';

/** `#rrggbb` in lower case. */
const rgbPattern = /^#[0-9a-f]{6}$/;

const maxId = 2_147_483_647;
const id = z
  .int({ error: 'must be an integer' })
  .min(1, { error: 'must be 1 or more' })
  .max(maxId, { error: `must be ${maxId} or less` });
/** Yen without tax. */
export const price = z
  .int({ error: 'must be an integer' })
  .min(0, { error: 'must be 0 or more' })
  .max(10_000_000, { error: 'must be 10000000 or less' });
const order = z.int({ error: 'must be an integer' }).min(-1_000_000).max(1_000_000);
/**
 * A name, of characters that URLs contain unescaped: names of items, colors and sizes are part of
 * image and page URLs.
 */
export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'must consist of a-z, 0-9 and hyphens, 64 characters at most' });
/** A name that people read. */
export const label = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(200, { error: 'must have 200 characters at most' });
const displayName = z.strictObject({ ja: label, en: label });
/** Length in millimetres. */
export const length = z
  .number()
  .positive({ error: 'must be greater than 0' })
  .max(5_000, { error: 'must be 5000 mm or less' });
const millimetres = z.strictObject({ width: length, height: length });
const side = z.int().positive().max(100_000);
const pixels = z.strictObject({ width: side, height: side });

const techniques = Object.keys(printTechniques) as PrintTechnique[];
const positive = z.number().positive({ error: 'must be greater than 0' });
const notNegative = z.number().nonnegative({ error: 'must be 0 or more' });

/** Requirements of the printer of a place. Lengths are in millimetres. */
export const Printing = z.strictObject({
  technique: z.enum(techniques, { error: `must be ${techniques.join(', ')}` }),
  /** Resolution of print files. */
  dpi: positive.max(1_200, { error: 'must be 1200 or less' }),
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
  hidden: z
    .array(z.strictObject({ x: notNegative, y: notNegative, width: positive, height: positive }))
    .max(20)
    .optional(),
});
export type Printing = z.output<typeof Printing>;

export const Color = z.strictObject({
  id,
  name,
  displayName,
  rgb: z.string().regex(rgbPattern, { error: 'must be #rrggbb in lower case' }),
});
export const Size = z.strictObject({ id, name, displayName });
export const Category = z.strictObject({ name, displayName, displayOrder: order });
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
  displayOrder: order,
  isEmbroidery: z.boolean(),
  resizeModes: z.array(ResizeMode).min(1).max(10).meta({ description: 'The first is the default of products.' }),
  defaultPrintPlace: name,
  exemplaryVariantId: id,
  imageDescriptions: z.array(label).max(50),
  /**
   * `price` is added when the place is printed; `pixels` is the recommended artwork size for
   * `millimetres`.
   */
  printPlaces: z
    .array(z.strictObject({ name, price, millimetres, pixels, printing: Printing }))
    .min(1)
    .max(20),
  /**
   * Angles in display order. The first essential angle is the representative one. Angles that are
   * not essential are extra angles. The first one with `wearing` shows how the item is worn.
   */
  angles: z
    .array(z.strictObject({ name, printPlace: name, essential: z.boolean(), wearing: z.boolean().optional() }))
    .max(50),
  variants: z.array(Variant).min(1).max(500),
});

/**
 * An item of a bundle. Ids may be missing: an import assigns them, and keeps those of a name.
 * Without `exemplaryVariantId` the first enabled variant is representative, without `printPlaceIds`
 * a variant has all print places.
 */
export const BundleItem = Item.extend({
  /** Read by editors only. */
  $schema: z.string().max(500).optional(),
  id: id.optional(),
  exemplaryVariantId: id.optional(),
  variants: z
    .array(Variant.extend({ id: id.optional(), printPlaceIds: z.record(name, id).optional() }))
    .min(1)
    .max(500),
});

/** Colors and sizes of a bundle. */
export const BundleColor = Color.partial({ id: true });
export const BundleSize = Size.partial({ id: true });

export type BundleColor = z.output<typeof BundleColor>;
export type BundleSize = z.output<typeof BundleSize>;
export type BundleItem = z.output<typeof BundleItem>;
export type ColorFile = z.output<typeof Color>;
type SizeFile = z.output<typeof Size>;
type CategoryFile = z.output<typeof Category>;
type PrintPlaceFile = z.output<typeof PrintPlaceName>;
export type ItemFile = z.output<typeof Item>;

export interface CatalogFiles {
  readonly colors: readonly ColorFile[];
  readonly sizes: readonly SizeFile[];
  readonly categories: readonly CategoryFile[];
  readonly printPlaces: readonly PrintPlaceFile[];
  readonly items: readonly ItemFile[];
}
