import { z } from 'zod';
import { field } from './field.js';
import { Activity } from './resources/activity.js';
import { PlacedFavorite } from './resources/favorite.js';
import { ListedItem } from './resources/item.js';
import { Material } from './resources/material.js';
import { Product, ProductDetail } from './resources/product.js';

/** What clients get. */

const meta = z.object({ hasNext: field(z.boolean(), 'true when there is a further page', false) });

export const ItemListResponse = z.object({ items: z.array(ListedItem) });
export const MaterialListResponse = z.object({ materials: z.array(Material), meta });
export const MaterialResponse = z.object({ material: Material, products: z.array(Product) });
export const ProductListResponse = z.object({ products: z.array(Product), meta });
/** `products` is the published key, `product` the one that programs in the field read; both hold the same object. */
export const ProductResponse = z.object({ products: ProductDetail, product: ProductDetail });
export const FavoriteCreateResponse = z.object({
  favorite: PlacedFavorite,
  meta: z.object({ totalCount: field(z.int(), 'sum over all users', 12) }),
});
export const ActivityListResponse = z.object({ activities: z.array(Activity) });
export const UnreadsResponse = z.object({ unreads: field(z.int(), 'number of unread activities', 3) });

/** RFC 9457 problem document: the body of every failure. */
export const ProblemResponse = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  message: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  requestId: z.string(),
});
