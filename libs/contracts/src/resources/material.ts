import { z } from 'zod';
import { dateTime, field } from '../field.js';
import { UserSummary } from './user.js';

export const Material = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  title: field(z.string(), 'Title of the material.', 'Lighthouse'),
  description: field(z.string().nullable(), 'Description of the material.', null),
  price: field(z.int(), 'Margin of the creator, added to the price of the item variant, excluding tax.', 300),
  priceWithTax: field(z.int(), 'Margin of the creator, including tax.', 330),
  violation: field(z.boolean(), 'True if the material violates the rules of the shop.', false),
  published: field(z.boolean(), 'True if at least one product of the material is published.', true),
  publishedAt: field(dateTime.nullable(), 'Time of the first publication.', '2026-11-20 09:00:00 +0000'),
  uploadedAt: field(dateTime, 'Time of the image upload.', '2026-11-20 09:00:00 +0000'),
  dominantRgb: field(z.string().nullable(), 'Dominant color of the image as `#rrggbb`.', '#274b6d'),
  originalWidth: field(z.int(), 'Width of the uploaded image in pixels.', 2000),
  originalHeight: field(z.int(), 'Height of the uploaded image in pixels.', 2000),
  user: UserSummary.meta({ description: 'User who uploaded the image.' }),
});
export type Material = z.output<typeof Material>;

/**
 * Possible quality problems of a print, the most serious one first:
 * - `fully-transparent`: no visible pixel
 * - `first-frame`: only the first frame of an animation is printed
 * - `low-resolution`: less than the technique needs at the printed size, see `printTechniques`
 * - `cropped`: more than a hundredth of the image is outside the print area
 */
export const printWarningCodes = ['fully-transparent', 'first-frame', 'low-resolution', 'cropped'] as const;
export type PrintWarningCode = (typeof printWarningCodes)[number];

/** A possible quality problem of a print. It does not block the product. */
export const PrintWarning = z.object({
  itemId: field(z.int(), 'Identifier of the item of the product.', 1),
  printPlace: field(z.string(), 'Name of the print place.', 'front'),
  code: field(z.enum(printWarningCodes), 'Stable code of the warning.', 'low-resolution'),
  message: field(
    z.string(),
    'Text of the warning in the language of the request.',
    '96 dpi on the front (300 x 400 mm); 150 dpi or more prints sharply. Send at least 1772 x 2363 pixels.',
  ),
});
export type PrintWarning = z.output<typeof PrintWarning>;
