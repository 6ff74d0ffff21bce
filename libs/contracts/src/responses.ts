import { z } from 'zod';
import { exampleBaseUrl } from './example-base-url.js';
import { field } from './field.js';
import { Activity } from './resources/activity.js';
import { Choice } from './resources/choice.js';
import { Favorite, FavoriteOfProduct, FavoriteOfUser, PlacedFavorite } from './resources/favorite.js';
import { ListedItem } from './resources/item.js';
import { Material, PrintWarning } from './resources/material.js';
import { Product, ProductDetail } from './resources/product.js';
import { Banner, Category, Promotion } from './resources/storefront.js';
import { SelfUser, User } from './resources/user.js';

/** What clients get. */

export const PageMeta = z
  .object({ hasNext: field(z.boolean(), 'true when there is a further page', false) })
  .meta({ description: 'place of the page in the list' });

export const ActivityListResponse = z.object({ activities: z.array(Activity) });
export const UnreadsResponse = z.object({ unreads: field(z.int(), 'number of unread activities', 3) });
export const BannerListResponse = z.object({ banners: z.array(Banner) });
export const CategoryListResponse = z.object({ categories: z.array(Category) });
export const ChoiceListResponse = z.object({ choices: z.array(Choice), meta: PageMeta });
export const ChoiceResponse = z.object({ choice: Choice });
export const FavoritesOfProductResponse = z.object({ favorites: z.array(FavoriteOfProduct), meta: PageMeta });
export const FavoritesOfUserResponse = z.object({ favorites: z.array(FavoriteOfUser), meta: PageMeta });
export const FavoriteCreateResponse = z.object({
  favorite: PlacedFavorite,
  meta: z
    .object({ totalCount: field(z.int(), 'sum over all users', 12) })
    .meta({ description: 'favorites of the product' }),
});
/** The favorite as it was before it was withdrawn. */
export const FavoriteDeleteResponse = Favorite;
export const ItemListResponse = z.object({ items: z.array(ListedItem) });
export const MaterialListResponse = z.object({ materials: z.array(Material), meta: PageMeta });
export const MaterialResponse = z.object({ material: Material, products: z.array(Product) });
/** The answer to who has written a material: with what may disappoint about its prints, of all its products. */
export const WrittenMaterialResponse = MaterialResponse.extend({
  warnings: z.array(PrintWarning).meta({
    description: 'what may disappoint about the prints: one per product, printed place and code (addition)',
  }),
});
export const ProductListResponse = z.object({ products: z.array(Product), meta: PageMeta });
/** `products` is the published key, `product` the one that programs in the field read; both hold the same object. */
export const ProductResponse = z.object({ products: ProductDetail, product: ProductDetail });
export const PromotionListResponse = z.object({ promotions: z.array(Promotion) });
export const UserListResponse = z.object({ users: z.array(User), meta: PageMeta });
export const UserResponse = z.object({ user: User });
export const SelfResponse = z.object({ user: SelfUser });

/** What stands once in OpenAPI, under a name that generators use; the resources have theirs in their table. */
export const responseShapes = { PageMeta };

const named = z.record(z.string(), z.unknown());

/** The API as JSON Hyper-Schema. `$schema` is not listed: generators of Go make no name of it. */
export const HyperSchemaResponse = z.object({
  id: field(z.string(), 'name of the API for programs', 'storefront'),
  title: field(z.string(), 'name of the API', 'Storefront'),
  description: field(z.string(), 'what the API is for', 'Storefront API: products of a print-on-demand shop.'),
  type: field(z.array(z.string()), 'type of the document', ['object']),
  links: field(
    z.array(
      z.object({
        href: field(z.string(), 'address', `${exampleBaseUrl}/api/v1`),
        rel: field(z.string(), 'what is there', 'self'),
      }),
    ),
    'where the API is',
    [{ href: `${exampleBaseUrl}/api/v1`, rel: 'self' }],
  ),
  definitions: field(named, 'the resources by name', { banner: { title: 'Banner' } }),
  properties: field(named, 'the same resources, by reference', { banner: {} }),
});

/** The API as OpenAPI. */
export const OpenApiResponse = z.object({
  openapi: field(z.string(), 'version of the format', '3.1.0'),
  info: field(named, 'name of the API and what holds for all of it', { title: 'Storefront API', version: 'v1' }),
  servers: field(z.array(z.object({ url: field(z.string(), 'address', exampleBaseUrl) })), 'where the API is', [
    { url: exampleBaseUrl },
  ]),
  tags: field(
    z.array(
      z.object({
        name: field(z.string(), 'name', 'Banner'),
        description: field(z.string(), 'what it is', 'An image that leads somewhere.'),
      }),
    ),
    'the resources with operations',
    [{ name: 'Banner', description: 'An image that leads somewhere.' }],
  ),
  paths: field(named, 'the operations by address', { '/api/v1/banners': { get: { summary: 'List' } } }),
  components: field(named, 'what several operations share', { schemas: { Banner: { type: 'object' } } }),
});

/** RFC 9457 problem document: the body of every failure. */
export const ProblemResponse = z.object({
  type: field(z.string(), 'page that explains the code', `${exampleBaseUrl}/problems/product.not-found`),
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
  requestId: field(
    z.string(),
    'id of the request, also in the header X-Request-Id',
    'f2a51c3e-5a3b-4c1e-9f0e-0c6d1f1c7a10',
  ),
});
