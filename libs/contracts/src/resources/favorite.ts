import { z } from 'zod';
import { field } from '../field.js';

/** The favorite as answered when it is made: where its stamp lands on the picture. */
export const PlacedFavorite = z.object({
  id: field(z.int(), 'unique id', 1),
  count: field(z.int(), "number of this user's favorites on the product", 1),
  rotation: field(z.int(), 'rotation of the stamp in degrees, -30 to 30', 12),
  x: field(z.number(), 'horizontal place of the stamp, 0 to 1', 0.25),
  y: field(z.number(), 'vertical place of the stamp, 0 to 1', 0.75),
});
export type PlacedFavorite = z.output<typeof PlacedFavorite>;
