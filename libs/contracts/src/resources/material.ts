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
  uploadedAt: field(dateTime, 'when the picture was uploaded', '2026-11-20 09:00:00 +0000'),
  dominantRgb: field(z.string().nullable(), 'dominant colour as hexadecimal text', '#274b6d'),
  originalWidth: field(z.int(), 'image width in pixels', 2000),
  originalHeight: field(z.int(), 'image height in pixels', 2000),
  user: UserSummary.meta({ description: 'who uploaded the picture' }),
});
export type Material = z.output<typeof Material>;
