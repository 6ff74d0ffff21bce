import { z } from 'zod';
import { exampleBaseUrl } from '../example-base-url.js';
import { dateTime, field } from '../field.js';
import { Item, ItemVariant } from './item.js';
import { Material } from './material.js';

export const resizeModes = ['contain', 'cover'] as const;
export const ResizeMode = z.enum(resizeModes, { error: 'must be contain or cover' });
export type ResizeMode = z.output<typeof ResizeMode>;

const image = `${exampleBaseUrl}/images/v1/500x500/t-shirt/s/white/1/1763629200-2000x2000.png`;

/** A product in a list. The spelling `examplaryAngle` is the published one. */
export const Product = z.object({
  id: field(z.int(), 'unique id', 1),
  title: field(z.string(), 'title of the material and display name of the item', 'Lighthouse スタンダードTシャツ'),
  published: field(z.boolean(), 'published flag', true),
  publishedAt: field(dateTime.nullable(), 'publication time', '2026-11-20 09:00:00 +0000'),
  createdAt: field(dateTime, 'creation time', '2026-11-20 09:00:00 +0000'),
  updatedAt: field(dateTime, 'update time', '2026-11-20 09:00:00 +0000'),
  examplaryAngle: field(z.string().nullable(), 'representative angle', 'front'),
  imageUrl: field(
    z.string(),
    'image URL template; `{width}x{height}`, `{size}/{color}` and `[/angle]` are to be filled',
    `${exampleBaseUrl}/images/v1/{width}x{height}/t-shirt/{size}/{color}[/angle]/1/1763629200-2000x2000.png.webp?h=0123456789abcdef0123456789abcdef01234567&printed=true`,
  ),
  sampleImageUrl: field(
    z.string(),
    'a filled-in image URL',
    `${image}.webp?h=0123456789abcdef0123456789abcdef01234567&printed=true`,
  ),
  pngSampleImageUrl: field(
    z.string(),
    'the same image as PNG (addition)',
    `${image}.png?h=0123456789abcdef0123456789abcdef01234567&printed=true`,
  ),
  sampleImageUrls: field(z.array(z.string()), 'one filled-in image URL per essential angle (addition)', [
    `${image}.webp?h=0123456789abcdef0123456789abcdef01234567&printed=true`,
  ]),
  url: field(
    z.string(),
    'product page URL template; `{size}/{color}` are to be filled',
    `${exampleBaseUrl}/hanako/1/t-shirt/{size}/{color}`,
  ),
  sampleUrl: field(z.string(), 'a filled-in product page URL', `${exampleBaseUrl}/hanako/1/t-shirt/s/white`),
  price: field(z.int(), 'product price excluding tax (addition)', 2500),
  priceWithTax: field(z.int(), 'product price including tax', 2750),
  discountedPrice: field(z.int(), 'discounted price excluding tax (addition)', 2500),
  discountedPriceWithTax: field(z.int(), 'discounted price including tax', 2750),
  secret: field(z.boolean(), 'always false (addition)', false),
  resizeMode: field(ResizeMode.nullable(), 'how the image is laid into the print area (addition)', 'contain'),
  item: Item.meta({ description: 'item that is printed' }),
  material: Material.meta({ description: 'material that is printed on it' }),
  sampleItemVariant: ItemVariant.meta({ description: 'variant of the item that the sample image shows' }),
});
export type Product = z.output<typeof Product>;

/** The answer for one product: with all variants of its item. */
export const ProductDetail = Product.extend({
  itemVariants: z.array(ItemVariant).meta({ description: 'all variants of the item' }),
});
export type ProductDetail = z.output<typeof ProductDetail>;
