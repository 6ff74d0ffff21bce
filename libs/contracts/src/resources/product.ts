import { z } from 'zod';
import { exampleBaseUrl } from '../example-base-url.js';
import { dateTime, field } from '../field.js';
import { Item, ItemVariant } from './item.js';
import { Material } from './material.js';
import { Placement } from './placement.js';

export const resizeModes = ['contain', 'cover'] as const;
export const ResizeMode = z.enum(resizeModes, { error: 'must be contain or cover' });
export type ResizeMode = z.output<typeof ResizeMode>;

/** Returns the resize mode of products without one: the first mode of the item. */
export const defaultResizeMode = (item: { readonly resizeModes: readonly ResizeMode[] }): ResizeMode =>
  item.resizeModes[0]!;

/** Returns the mode that fits an image: the requested one, or the default of the item. */
export const effectiveResizeMode = (
  item: { readonly resizeModes: readonly ResizeMode[] },
  requested: ResizeMode | null | undefined,
): ResizeMode => requested ?? defaultResizeMode(item);

const image = `${exampleBaseUrl}/images/v1/500x500/t-shirt/s/white/1/1763629200-2000x2000.png`;

/** A product in a list. The spelling `examplaryAngle` is that of the specification. */
export const Product = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  title: field(z.string(), 'Title of the material and display name of the item.', 'Lighthouse スタンダードTシャツ'),
  published: field(z.boolean(), 'True if the product is published.', true),
  publishedAt: field(dateTime.nullable(), 'Time of publication.', '2026-11-20 09:00:00 +0000'),
  createdAt: field(dateTime, 'Time of creation.', '2026-11-20 09:00:00 +0000'),
  updatedAt: field(dateTime, 'Time of the last update.', '2026-11-20 09:00:00 +0000'),
  examplaryAngle: field(z.string().nullable(), 'Angle of the sample image.', 'front'),
  imageUrl: field(
    z.string(),
    'Template of image URLs with the placeholders `{width}x{height}`, `{size}/{color}` and `[/angle]`.',
    `${exampleBaseUrl}/images/v1/{width}x{height}/t-shirt/{size}/{color}[/angle]/1/1763629200-2000x2000.png.webp?h=0123456789abcdef0123456789abcdef01234567&printed=true`,
  ),
  sampleImageUrl: field(
    z.string(),
    'URL of the sample image as WebP.',
    `${image}.webp?h=0123456789abcdef0123456789abcdef01234567&printed=true`,
  ),
  pngSampleImageUrl: field(
    z.string(),
    'URL of the sample image as PNG. (Extension.)',
    `${image}.png?h=0123456789abcdef0123456789abcdef01234567&printed=true`,
  ),
  sampleImageUrls: field(z.array(z.string()), 'URL of a sample image for each essential angle. (Extension.)', [
    `${image}.webp?h=0123456789abcdef0123456789abcdef01234567&printed=true`,
  ]),
  url: field(
    z.string(),
    'Template of product page URLs with the placeholder `{size}/{color}`.',
    `${exampleBaseUrl}/hanako/1/t-shirt/{size}/{color}`,
  ),
  sampleUrl: field(z.string(), 'URL of the product page.', `${exampleBaseUrl}/hanako/1/t-shirt/s/white`),
  price: field(z.int(), 'Price excluding tax. (Extension.)', 2500),
  priceWithTax: field(z.int(), 'Price including tax.', 2750),
  discountedPrice: field(z.int(), 'Price after discounts, excluding tax. (Extension.)', 2500),
  discountedPriceWithTax: field(z.int(), 'Price after discounts, including tax.', 2750),
  secret: field(z.boolean(), 'Always false. (Extension.)', false),
  resizeMode: field(ResizeMode.nullable(), 'Fit of the image in the print area. (Extension.)', 'contain'),
  placement: field(
    Placement.optional(),
    'Position of the image of the material. Missing = as fitted by `resizeMode`. (Extension.)',
    { scale: 0.5, x: 0, y: -0.1, rotation: 15, repeat: 'none', spacing: 0 },
  ),
  sub_materials: z
    .array(
      z.object({
        printSide: field(z.string(), 'Print place of the image.', 'back'),
        enabled: field(z.boolean(), 'True if the image is printed.', true),
        placement: Placement.nullable().meta({
          description: 'Position of the image. Null = as fitted by `resizeMode`.',
        }),
      }),
    )
    .optional()
    .meta({ description: 'Images on other print places, if any of them has a placement. (Extension.)' }),
  item: Item.meta({ description: 'Item on which the material is printed.' }),
  material: Material.meta({ description: 'Material printed on the item.' }),
  sampleItemVariant: ItemVariant.meta({ description: 'Variant of the item shown in the sample image.' }),
});
export type Product = z.output<typeof Product>;

/** A product with all variants of its item. */
export const ProductDetail = Product.extend({
  itemVariants: z.array(ItemVariant).meta({ description: 'All variants of the item.' }),
});
export type ProductDetail = z.output<typeof ProductDetail>;
