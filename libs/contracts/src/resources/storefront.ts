import { z } from 'zod';
import { exampleBaseUrl } from '../example-base-url.js';
import { field } from '../field.js';
import { Item } from './item.js';

/** An image that leads somewhere, shown on the pages of the shop. */
export const Banner = z.object({
  id: field(z.int(), 'unique id', 1),
  displaySize: field(z.string(), 'size in which the banner is shown', 'large'),
  imageUrl: field(z.string(), 'banner image URL', 'https://example.com/banners/summer.png'),
});
export type Banner = z.output<typeof Banner>;

/** A group of items. */
export const Category = z.object({
  name: field(z.string(), 'unique name', 'clothes'),
  imageUrls: field(z.record(z.string(), z.string()), 'category image URLs by format', {
    svg: `${exampleBaseUrl}/icons/t-shirt.svg`,
    png: `${exampleBaseUrl}/icons/t-shirt.png`,
  }),
  items: z.array(Item).meta({ description: 'items of the category, in display order' }),
});
export type Category = z.output<typeof Category>;

/** Something that the shop wants people to know of. */
export const Promotion = z.object({
  id: field(z.int(), 'unique id', 1),
  name: field(z.string(), 'name', 'Summer sale'),
  category: field(z.string(), 'kind of promotion', 'sale'),
  url: field(z.string(), 'page of the promotion', 'https://example.com/summer'),
});
export type Promotion = z.output<typeof Promotion>;
