import { z } from 'zod';
import { exampleBaseUrl } from '../example-base-url.js';
import { field } from '../field.js';
import { Item } from './item.js';

/** An image on the front page. If `imageUrl` is on another host, the page shows a copy. */
export const Banner = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  displaySize: field(
    z.string(),
    'Size for which the image was made, as the operator has named it. The front page shows all banners at full width.',
    'large',
  ),
  imageUrl: field(z.string(), 'URL of the banner image.', 'https://example.com/banners/summer.png'),
});
export type Banner = z.output<typeof Banner>;

/** A group of items. */
export const Category = z.object({
  name: field(z.string(), 'Unique name.', 'clothes'),
  imageUrls: field(z.record(z.string(), z.string()), 'URLs of the category image by format.', {
    svg: `${exampleBaseUrl}/icons/t-shirt.svg`,
    png: `${exampleBaseUrl}/icons/t-shirt.png`,
  }),
  items: z.array(Item).meta({ description: 'Items of the category, in display order.' }),
});
export type Category = z.output<typeof Category>;

/** A campaign that the shop advertises. */
export const Promotion = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  name: field(z.string(), 'Name of the promotion.', 'Summer sale'),
  category: field(z.string(), 'Kind of the promotion.', 'sale'),
  url: field(z.string(), 'URL of the promotion page.', 'https://example.com/summer'),
});
export type Promotion = z.output<typeof Promotion>;
