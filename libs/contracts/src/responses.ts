import { z } from 'zod';
import { field } from './field.js';
import { Activity } from './resources/activity.js';
import { Choice } from './resources/choice.js';
import { Favorite, FavoriteOfProduct, FavoriteOfUser, PlacedFavorite } from './resources/favorite.js';
import { ListedItem } from './resources/item.js';
import { Material } from './resources/material.js';
import { Product, ProductDetail } from './resources/product.js';
import { Banner, Category, Promotion } from './resources/storefront.js';
import { SelfUser, User } from './resources/user.js';

/** What clients get. */

const meta = z
  .object({ hasNext: field(z.boolean(), 'true when there is a further page', false) })
  .meta({ description: 'place of the page in the list' });

export const ActivityListResponse = z.object({ activities: z.array(Activity) });
export const UnreadsResponse = z.object({ unreads: field(z.int(), 'number of unread activities', 3) });
export const BannerListResponse = z.object({ banners: z.array(Banner) });
export const CategoryListResponse = z.object({ categories: z.array(Category) });
export const ChoiceListResponse = z.object({ choices: z.array(Choice), meta });
export const ChoiceResponse = z.object({ choice: Choice });
export const FavoritesOfProductResponse = z.object({ favorites: z.array(FavoriteOfProduct), meta });
export const FavoritesOfUserResponse = z.object({ favorites: z.array(FavoriteOfUser), meta });
export const FavoriteCreateResponse = z.object({
  favorite: PlacedFavorite,
  meta: z
    .object({ totalCount: field(z.int(), 'sum over all users', 12) })
    .meta({ description: 'favorites of the product' }),
});
/** The favorite as it was before it was withdrawn. */
export const FavoriteDeleteResponse = Favorite;
export const ItemListResponse = z.object({ items: z.array(ListedItem) });
export const MaterialListResponse = z.object({ materials: z.array(Material), meta });
export const MaterialResponse = z.object({ material: Material, products: z.array(Product) });
export const ProductListResponse = z.object({ products: z.array(Product), meta });
/** `products` is the published key, `product` the one that programs in the field read; both hold the same object. */
export const ProductResponse = z.object({ products: ProductDetail, product: ProductDetail });
export const PromotionListResponse = z.object({ promotions: z.array(Promotion) });
export const UserListResponse = z.object({ users: z.array(User), meta });
export const UserResponse = z.object({ user: User });
export const SelfResponse = z.object({ user: SelfUser });

/** A document that describes the API: JSON Hyper-Schema or OpenAPI. */
export const DocumentResponse = z.record(z.string(), z.unknown());

/** RFC 9457 problem document: the body of every failure. */
export const ProblemResponse = z.object({
  type: field(z.string(), 'page that explains the code', 'http://localhost:3000/problems/product.not-found'),
  title: field(z.string(), 'the kind of failure in words', 'There is no such product'),
  status: field(z.int(), 'HTTP status', 404),
  detail: field(z.string(), 'what is wrong with this request', 'There is no product 12.'),
  code: field(z.string(), 'stable name of the kind of failure', 'product.not-found'),
  message: field(z.string(), 'the same as detail, for older clients', 'There is no product 12.'),
  errors: z
    .array(
      z.object({
        path: field(z.string(), 'offending place of the request', 'query.limit'),
        message: field(z.string(), 'what is wrong there', 'must be an integer from 1 to 50'),
      }),
    )
    .optional()
    .meta({ description: 'every offending place' }),
  requestId: field(z.string(), 'id of the request, also in the header X-Request-Id', 'f2a5…'),
});
