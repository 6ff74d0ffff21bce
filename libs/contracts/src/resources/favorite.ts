import { z } from 'zod';
import { field } from '../field.js';
import { Product } from './product.js';
import { UserSummary } from './user.js';

const id = field(z.int(), 'unique id', 1);
const count = field(z.int(), "number of this user's favorites on the product", 1);
const productId = field(z.int(), 'favored product', 12);

/** The favorite as answered when it is made: where its stamp lands on the image. */
export const PlacedFavorite = z.object({
  id,
  count,
  rotation: field(z.int(), 'rotation of the stamp in degrees, -30 to 30', 12),
  x: field(z.number(), 'horizontal place of the stamp, 0 to 1', 0.25),
  y: field(z.number(), 'vertical place of the stamp, 0 to 1', 0.75),
});
export type PlacedFavorite = z.output<typeof PlacedFavorite>;

/** A favorite by itself: one user's favorites of one product. */
export const Favorite = z.object({ id, count, productId });
export type Favorite = z.output<typeof Favorite>;

/** A favorite in the list of a product: with who favored it. */
export const FavoriteOfProduct = Favorite.extend({ user: UserSummary.meta({ description: 'who favors the product' }) });
export type FavoriteOfProduct = z.output<typeof FavoriteOfProduct>;

/** A favorite in the list of a user: with what was favored. */
export const FavoriteOfUser = z.object({ id, count, product: Product.meta({ description: 'favored product' }) });
export type FavoriteOfUser = z.output<typeof FavoriteOfUser>;
