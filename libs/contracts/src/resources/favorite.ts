import { z } from 'zod';
import { field } from '../field.js';
import { Product } from './product.js';
import { UserSummary } from './user.js';

const id = field(z.int(), 'Unique identifier.', 1);
const count = field(z.int(), 'Number of favorites that the user has given the product.', 1);
const productId = field(z.int(), 'Identifier of the product.', 12);

/** A favorite as returned by its creation, with the position of its stamp on the image. */
export const CreatedFavorite = z.object({
  id,
  count,
  rotation: field(z.int(), 'Rotation of the stamp in degrees, from -30 to 30.', 12),
  x: field(z.number(), 'Horizontal position of the stamp, from 0 to 1.', 0.25),
  y: field(z.number(), 'Vertical position of the stamp, from 0 to 1.', 0.75),
});
export type CreatedFavorite = z.output<typeof CreatedFavorite>;

/** The favorites that one user has given one product. */
export const Favorite = z.object({ id, count, productId });
export type Favorite = z.output<typeof Favorite>;

/** An entry of the favorites of a product: with the user. */
export const ProductFavorite = Favorite.extend({
  user: UserSummary.meta({ description: 'User who added the favorite.' }),
});
export type ProductFavorite = z.output<typeof ProductFavorite>;

/** An entry of the favorites of a user: with the product. */
export const UserFavorite = z.object({ id, count, product: Product.meta({ description: 'Product of the favorite.' }) });
export type UserFavorite = z.output<typeof UserFavorite>;
