import { z } from 'zod';
import { displayName } from './account-fields.js';
import { activityLimitText, field, idNumber, idText, limitText, nameText, offsetText, text, webUrl } from './field.js';
import { limits } from './limits.js';
import { ResizeMode } from './resources/product.js';
import { visibleText } from './visible-line.js';

/** What clients send: query strings and bodies. Unknown keys are ignored. */

const limit = field(limitText(20), 'page size', '20');
const offset = field(offsetText, 'number of entries to skip; higher is older', '0');
export const page = { limit, offset };

const userId = field(idText.optional(), 'only those of this user', '1');
const userName = field(nameText.optional(), 'only those of the user with this name', 'hanako');
const itemId = field(idText.optional(), 'only those on this item', '1');

export const ChoiceParams = z.object({ choiceId: field(idText, 'id of the choice', '1') });
export const MaterialParams = z.object({ materialId: field(idText, 'id of the material', '1') });
export const ProductParams = z.object({ productId: field(idText, 'id of the product', '1') });
export const UserParams = z.object({ userId: field(idText, 'id of the user', '1') });

export const PageQuery = z.object(page);
export const ActivityListQuery = z.object({ limit: field(activityLimitText, 'how many at most', '30') });
export const ChoiceListQuery = z.object({ ...page, userId, userName });
export const FavoriteListQuery = z.object({ ...page, itemId });
export const MaterialListQuery = z.object({ ...page, userId });
export const ProductListQuery = z.object({
  ...page,
  itemId,
  userId,
  userName,
  materialId: field(idText.optional(), 'only those of this material', '1'),
});
export const ProductSearchQuery = z.object({
  ...page,
  itemId,
  q: field(text(0, 100).default(''), 'words that must all be in the title or the name of the item', 'lighthouse'),
});
export const UserListQuery = z.object({ ...page, name: field(nameText.optional(), 'the exact name', 'hanako') });

/** An example that can be sent as it is: 8 x 8 pixels of one color. */
const smallImage =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAMAAADz0U65AAAAA1BMVEXMMzN0dFbYAAAADElEQVQI12NgoA4AAABIAAH/myMhAAAAAElFTkSuQmCC';

/** An image as a client sends it. The gateway turns a data URI into an upload before anything else sees it. */
export const TextureText = z
  .string()
  .regex(/^(?:https?:\/\/[^\s/?#]|data:)/i, { error: 'must be an http or https URL, or a data URI', abort: true })
  .refine((value) => /^data:/i.test(value) || value.length <= 2_048, { error: 'must have at most 2048 characters' });

const MaterialPrice = z
  .int({ error: 'must be an integer' })
  .min(0, { error: 'must be 0 or more' })
  // The operator sets the maximum: `withMaximumPrice` checks it, and the documents of an installation name it
  .meta({ isMaterialPrice: true });

const Title = visibleText(1, 255);
const Description = text(0, 10_000);

const title = field(Title, 'title, 1 to 255 characters', 'Lighthouse');
const price = field(MaterialPrice, 'margin, added to the price of the variant', 300);
const description = field(Description.nullable(), 'description, at most 10,000 characters', null);

export const SubMaterial = z.object({
  texture: field(TextureText, 'image as URL or data URI', smallImage),
  printSide: field(text(1, 64), 'side to print', 'back'),
  enabled: field(z.boolean().default(true), 'prints the side when true', true),
});

const productFields = {
  itemId: field(idNumber.optional(), 'item of the product; may be left out when a variant names it', 1),
  exemplaryItemVariantId: field(
    idNumber.optional(),
    "representative variant; the item's own by default, kept on update",
    1,
  ),
  resizeMode: field(
    ResizeMode.nullable().optional(),
    'contain shows the whole image, cover fills the print area where the item allows it',
    'contain',
  ),
};

/** The product of a new material. Whether it names an item at all, itself or by a variant, the catalogue says. */
export const MaterialProduct = z.object({
  ...productFields,
  published: field(z.boolean().default(false), 'true publishes the product', true),
  sub_materials: z
    .array(SubMaterial)
    .max(10, { error: 'must have at most 10 entries' })
    .default([])
    .meta({ description: 'images for further sides' }),
});

/** The product of a material that is changed: what is left out stays. */
export const MaterialProductUpdate = z.object({
  ...productFields,
  published: field(z.boolean().optional(), 'true publishes the product, false hides it', true),
});

const tooManyProducts = { error: 'must have at most 100 entries' };

export const MaterialCreateBody = z.object({
  texture: field(TextureText, 'image as URL or data URI, 20 MB at most', smallImage),
  title,
  price: price.default(0),
  description: description.default(null),
  products: z
    .array(MaterialProduct)
    .max(100, tooManyProducts)
    .default([])
    .meta({ description: 'products to make, one per item' }),
});

export const MaterialUpdateBody = z
  .object({
    title: title.optional(),
    price: price.optional(),
    description: description.optional(),
    products: z
      .array(MaterialProductUpdate)
      .max(100, tooManyProducts)
      .optional()
      .meta({ description: 'products to change, or to make where the material has none of the item' }),
  })
  .default({});

export const MaterialTextBody = z.object({
  text: field(text(1, 255), 'text to print, at most 255 characters', 'Hello'),
  itemVariantId: field(idNumber.optional(), 'variant of the standard T-shirt; white M by default', 1),
  title: field(Title.optional(), 'title; the first line of the text by default (addition)', 'Hello'),
  price: field(price.default(0), 'margin (addition)', 300),
  description: field(description.default(null), 'description (addition)', null),
});

/** Returns the bodies that have the price of a material, each with the body that checks the operator's maximum, too. */
export function withMaximumPrice(maximum: number): ReadonlyMap<z.ZodType, z.ZodType> {
  const bounded = <Price extends z.ZodType<number | undefined>>({ price }: { readonly price: Price }) => ({
    price: price.refine((it) => it === undefined || it <= maximum, { error: `must be ${maximum} or less` }),
  });
  const update = MaterialUpdateBody.unwrap();
  return new Map<z.ZodType, z.ZodType>([
    [MaterialCreateBody, MaterialCreateBody.extend(bounded(MaterialCreateBody.shape))],
    [MaterialUpdateBody, update.extend(bounded(update.shape)).default({})],
    [MaterialTextBody, MaterialTextBody.extend(bounded(MaterialTextBody.shape))],
  ]);
}

export const FavoriteCreateBody = z
  .object({
    anonymouse: field(z.boolean().optional(), 'true makes the favorite anonymous (published spelling)', false),
    anonymous: field(z.boolean().optional(), 'the same, spelled as in a dictionary (addition)', false),
    count: field(z.int().min(1).max(100).default(1), 'number of favorites to add', 1),
  })
  .default({ count: 1 });

const productId = field(idNumber, 'product', 1);
const itemVariantId = field(idNumber.optional(), 'variant; the representative one by default', 1);

const ChoiceProducts = z
  .array(z.object({ productId, itemVariantId }))
  .max(limits.choiceProducts, { error: `must have at most ${limits.choiceProducts} entries` })
  .meta({ description: 'products of the choice, in order' });
const choiceDescription = field(Description, 'description, at most 10,000 characters', 'Light things.');
const bannerUrl = field(webUrl, 'banner image URL', 'https://example.com/banner.png');
const secret = field(z.boolean().optional(), 'true hides the choice from everybody else (addition)', false);

export const ChoiceCreateBody = z.object({
  title: field(Title, 'title, 1 to 255 characters', 'For the summer'),
  description: choiceDescription.optional(),
  bannerUrl: bannerUrl.optional(),
  secret,
  choiceProducts: ChoiceProducts.default([]),
});

export const ChoiceUpdateBody = z
  .object({
    title: field(Title.optional(), 'title, 1 to 255 characters', 'For the summer'),
    description: choiceDescription.nullable().optional(),
    bannerUrl: bannerUrl.nullable().optional(),
    secret,
    choiceProducts: ChoiceProducts.optional(),
  })
  .default({});

/** One product of a choice, to be added or removed. Without a product nothing changes. */
export const ChoiceProductBody = z.object({ productId: productId.optional(), itemVariantId }).default({});

export const UserUpdateBody = z
  .object({
    displayName: field(displayName.nullable().optional(), 'name shown on pages', 'Hanako'),
    avatarUrl: field(webUrl.nullable().optional(), 'avatar image URL', 'https://example.com/avatars/1.png'),
    profile: z
      .object({
        url: field(webUrl.nullable().optional(), "the user's home page URL", 'https://example.com'),
        body: field(text(0, 10_000).nullable().optional(), 'profile text', 'I draw cats.'),
        headerUrl: field(webUrl.nullable().optional(), 'header image URL of the profile page', null),
      })
      .optional()
      .meta({ description: 'what the user tells of themselves' }),
  })
  .default({});

/** `Idempotency-Key`: printable ASCII. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, { error: 'must have 1 to 255 printable characters' });

/** What stands once in OpenAPI, under a name that generators use. */
export const requestShapes = {
  MaterialInput: MaterialCreateBody,
  MaterialUpdateInput: MaterialUpdateBody,
  TextMaterialInput: MaterialTextBody,
  ProductInput: MaterialProduct,
  ProductUpdateInput: MaterialProductUpdate,
  SubMaterialInput: SubMaterial,
  FavoriteInput: FavoriteCreateBody,
  ChoiceInput: ChoiceCreateBody,
  ChoiceUpdateInput: ChoiceUpdateBody,
  ChoiceProductInput: ChoiceProductBody,
  UserUpdateInput: UserUpdateBody,
};
