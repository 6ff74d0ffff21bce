import { z } from 'zod';
import { dateTime, field } from '../field.js';
import { UserSummary } from './user.js';

export const Material = z.object({
  id: field(z.int(), 'unique id', 1),
  title: field(z.string(), 'title', 'Lighthouse'),
  description: field(z.string().nullable(), 'description', null),
  price: field(z.int(), 'creator margin added to the item variant price', 300),
  priceWithTax: field(z.int(), 'tax-included price of the margin', 330),
  violation: field(z.boolean(), 'true when the material violates the rules', false),
  published: field(z.boolean(), 'true when one of its products is published', true),
  publishedAt: field(dateTime.nullable(), 'first publication', '2026-11-20 09:00:00 +0000'),
  uploadedAt: field(dateTime, 'when the image was uploaded', '2026-11-20 09:00:00 +0000'),
  dominantRgb: field(z.string().nullable(), 'dominant colour as hexadecimal text', '#274b6d'),
  originalWidth: field(z.int(), 'image width in pixels', 2000),
  originalHeight: field(z.int(), 'image height in pixels', 2000),
  user: UserSummary.meta({ description: 'who uploaded the image' }),
});
export type Material = z.output<typeof Material>;

/**
 * What may disappoint about a print, in the order of the answers:
 * - `low-resolution`: less than 150 dpi at the size at which it is printed
 * - `upscaled`: fewer pixels than the place is printed with
 * - `fully-transparent`: nothing of the image is visible
 * - `cropped`: `cover` cuts off more than a hundredth of the width or the height
 */
export const printWarningCodes = ['low-resolution', 'upscaled', 'fully-transparent', 'cropped'] as const;
export type PrintWarningCode = (typeof printWarningCodes)[number];

/** Something that may disappoint about a print. It hinders nothing. */
export const PrintWarning = z.object({
  itemId: field(z.int(), 'item of the product', 1),
  printPlace: field(z.string(), 'print place', 'front'),
  code: field(z.enum(printWarningCodes), 'stable name of what it is', 'low-resolution'),
  message: field(
    z.string(),
    'what it is in words and numbers',
    '96 dpi on the front of 300 x 400 mm; 150 dpi or more prints sharp. Send at least 1772 x 2363 pixels.',
  ),
});
export type PrintWarning = z.output<typeof PrintWarning>;
