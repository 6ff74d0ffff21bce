import { z } from 'zod';
import { exampleBaseUrl } from '../example-base-url.js';
import { dateTime, field } from '../field.js';

/** An image of an item with an artwork, which is rendered on its first request and expires. */
export const Preview = z.object({
  itemId: field(z.int(), 'Identifier of the item.', 1),
  itemName: field(z.string(), 'Unique name of the item.', 't-shirt'),
  color: field(z.string(), 'Name of the color.', 'white'),
  angle: field(z.string(), 'Name of the angle.', 'front'),
  width: field(z.int(), 'Width in pixels.', 500),
  height: field(z.int(), 'Height in pixels.', 500),
  imageUrl: field(
    z.string(),
    'URL of the image as WebP, valid until `expiresAt` without a token.',
    `${exampleBaseUrl}/images/v1/previews/eyJpdGVtTmFtZSI6InQtc2hpcnQifQ.webp?h=1e8WbWJ1kuTXBVSwWLuHxgXGmlGx5dSQB3CLJVhQ4kA`,
  ),
  expiresAt: field(dateTime, 'Time after which the URL is 410.', '2026-11-20 10:00:00 +0000'),
});
export type Preview = z.output<typeof Preview>;
