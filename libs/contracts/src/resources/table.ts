import type { z } from 'zod';
import { HyperSchemaResponse, ProblemResponse } from '../responses.js';
import { Activity } from './activity.js';
import { Choice } from './choice.js';
import { Favorite, FavoriteOfProduct, FavoriteOfUser, PlacedFavorite } from './favorite.js';
import { Item, ItemColor, ItemSize, ItemVariant, ListedItem, PrintPlace } from './item.js';
import { Material, PrintWarning } from './material.js';
import { Product, ProductDetail } from './product.js';
import { Banner, Category, Promotion } from './storefront.js';
import { Identity, Profile, SelfUser, User, UserSummary } from './user.js';

/** A shape that the published documents know by name. */
export interface Resource {
  readonly title: string;
  /** One sentence. */
  readonly description: string;
  readonly shape: z.ZodType;
  /** For what has no id of its own: the resource of which it is a part, whose id tells which one it is. */
  readonly partOf?: string;
}

/** Every named shape, under the key of the published schema: what one answer embeds, another may refer to. */
export const resources = {
  activity: {
    title: 'Activity',
    description: 'Something that happened on the site and that a user is told of.',
    shape: Activity,
  },
  banner: {
    title: 'Banner',
    description: 'An image that leads somewhere, shown on the pages of the shop.',
    shape: Banner,
  },
  category: { title: 'Category', description: 'A group of items.', shape: Category },
  choice: { title: 'Choice', description: "A user's list of products.", shape: Choice },
  favorite: { title: 'Favorite', description: "One user's favorites of one product.", shape: Favorite },
  favorite_of_product: {
    title: 'Favorite of product',
    description: 'A favorite in the list of a product: with who favored it.',
    shape: FavoriteOfProduct,
  },
  favorite_of_user: {
    title: 'Favorite of user',
    description: 'A favorite in the list of a user: with what was favored.',
    shape: FavoriteOfUser,
  },
  identity: {
    title: 'Identity',
    description: 'An external service with which a user signs in.',
    shape: Identity,
  },
  item: { title: 'Item', description: 'A kind of thing that can be printed, such as a T-shirt.', shape: Item },
  item_color: { title: 'Item color', description: 'A colour of an item.', shape: ItemColor },
  item_size: { title: 'Item size', description: 'A size of an item.', shape: ItemSize },
  item_variant: {
    title: 'Item variant',
    description: 'An item in one colour and one size, with its price.',
    shape: ItemVariant,
  },
  listed_item: {
    title: 'Listed item',
    description: 'An item in the item list: with its variants and what a list page shows.',
    shape: ListedItem,
  },
  material: { title: 'Material', description: 'An uploaded image that products are made of.', shape: Material },
  placed_favorite: {
    title: 'Placed favorite',
    description: 'A favorite as answered when it is made: where its stamp lands on the image.',
    shape: PlacedFavorite,
  },
  print_place: {
    title: 'Print place',
    description: 'A place of an item variant that can be printed, with what it adds to the price.',
    shape: PrintPlace,
  },
  print_warning: {
    title: 'Print warning',
    description: 'Something that may disappoint about the print of a product; it hinders nothing.',
    shape: PrintWarning,
  },
  problem: { title: 'Problem', description: 'The body of every failure (RFC 9457).', shape: ProblemResponse },
  product: { title: 'Product', description: 'A material on an item: what people buy.', shape: Product },
  product_detail: {
    title: 'Product detail',
    description: 'The answer for one product: with all variants of its item.',
    shape: ProductDetail,
  },
  profile: {
    title: 'Profile',
    description: 'What a user tells of themselves.',
    shape: Profile,
    partOf: 'user',
  },
  promotion: {
    title: 'Promotion',
    description: 'Something that the shop wants people to know of.',
    shape: Promotion,
  },
  schema: { title: 'Schema', description: 'A document that describes this API.', shape: HyperSchemaResponse },
  self_user: {
    title: 'Self user',
    description: 'The user of the token: the only answer that holds the e-mail address.',
    shape: SelfUser,
  },
  user: { title: 'User', description: 'A user of the site.', shape: User },
  user_summary: {
    title: 'User summary',
    description: 'A user as embedded in materials, choices and favorites.',
    shape: UserSummary,
  },
} as const satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;
