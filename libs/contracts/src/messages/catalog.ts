import { z } from 'zod';
import { nameText, text, webUrl } from '../field.js';
import { Language } from '../language.js';
import { byOperator, command, question, slowCommand, type MessageTable } from '../message.js';
import { MaterialCreateBody, MaterialProduct, MaterialTextBody, MaterialUpdateBody, SubMaterial } from '../requests.js';
import {
  BannerListResponse,
  CategoryListResponse,
  ItemListResponse,
  MaterialListResponse,
  MaterialResponse,
  ProductListResponse,
  ProductResponse,
  PromotionListResponse,
  WrittenMaterialResponse,
} from '../responses.js';
import { Banner, Promotion } from '../resources/storefront.js';
import { ResizeMode } from '../resources/product.js';
import { healthMessages } from './health.js';
import { idempotency } from './idempotency.js';
import { TextureSource } from './material-rendering.js';

const viewerId = z.int();

/** What the gateway has parsed out of a query. */
const page = { viewerId, limit: z.int(), offset: z.int() };
const id = z.int().optional();

/** The gateway knows the highest margin that the operator allows, and has checked it. */
const price = z.int().min(0);

/** A data URI never travels: the gateway has put its bytes into the blob store. */
const StoredSubMaterial = SubMaterial.extend({ texture: TextureSource });
const MaterialCreateRequest = MaterialCreateBody.extend({
  viewerId,
  price,
  texture: TextureSource,
  products: z.array(MaterialProduct.extend({ sub_materials: z.array(StoredSubMaterial) })),
  /** Of the warnings' messages. */
  language: Language.default('en'),
  idempotency,
});

/** What must be known to draw any image of a material. `rgb` is `#rrggbb`. */
export const ImageSource = z.object({
  materialId: z.int(),
  filePath: z.string(),
  textureHash: z.string(),
  products: z.array(
    z.object({
      itemName: z.string(),
      /** Counts the changes of how the product is drawn. Read together with the rest: one revision, one look. */
      revision: z.int().default(0),
      /** Of a product that is not, its owner alone has the addresses. */
      published: z.boolean().default(true),
      /** What was asked for, or what suits the item. */
      resizeMode: ResizeMode,
      /** The sides with an image of their own, beside the default place, which carries the material. */
      prints: z.array(z.object({ place: z.string(), textureHash: z.string() })),
      defaultPrintPlace: z.string(),
      colors: z.array(z.object({ name: z.string(), rgb: z.string() })),
      sizes: z.array(z.string()),
      angles: z.array(z.string()),
      essentialAngles: z.array(z.string()),
      sample: z.object({ size: z.string(), color: z.string(), angle: z.string() }),
    }),
  ),
});
export type ImageSource = z.output<typeof ImageSource>;

const displayNames = z.record(z.string(), z.string());
export const ItemNames = z.object({ items: displayNames, colors: displayNames, sizes: displayNames });
export type ItemNames = z.output<typeof ItemNames>;

/** A product in one of its variants. */
export const ProductVariant = z.object({ productId: z.int(), itemVariantId: z.int() });
export type ProductVariant = z.output<typeof ProductVariant>;

/** What a sale is for: exactly one of them. */
export const SaleTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('item'), itemId: z.int() }),
  z.object({ kind: z.literal('user'), userName: z.string() }),
  z.object({ kind: z.literal('product'), productId: z.int() }),
]);
export type SaleTarget = z.output<typeof SaleTarget>;

/** What a sale takes off the tax-included price: a share in whole percent, or whole units. */
export const SaleDiscount = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('percent'), percent: z.int().min(1).max(100) }),
  z.object({ kind: z.literal('amount'), amount: z.int().min(1) }),
]);
export type SaleDiscount = z.output<typeof SaleDiscount>;

/** A sale as the operator sees it; points in time are ISO 8601 in UTC. `endsAt` null: until it is ended. */
export const Sale = z.object({
  id: z.int(),
  name: z.string(),
  target: SaleTarget,
  discount: SaleDiscount,
  startsAt: z.string(),
  endsAt: z.string().nullable(),
  state: z.enum(['upcoming', 'running', 'ended']),
});
export type Sale = z.output<typeof Sale>;

const isoDate = z.iso.datetime({ offset: true, error: 'must be a date such as 2026-12-24T00:00:00+09:00' });

/** A material as the operator sees it. */
const ModeratedMaterial = z.object({
  id: z.int(),
  title: z.string(),
  userName: z.string(),
  violation: z.boolean(),
  reason: z.string().nullable(),
});
const moderation = z.object({ materialId: z.int(), reason: text(1, 1_000) });

/** A user and the texture of one of the user's materials. User 0 stands for any user. */
export const TextureReference = z.object({ userId: z.int(), hash: z.string() });
export type TextureReference = z.output<typeof TextureReference>;

export const catalogMessages = {
  ...healthMessages,
  'items.list': question(z.object({}), ItemListResponse),
  /** Loads the catalogue files that ship with the service; loading the same files twice changes nothing. */
  'items.load': byOperator(
    command(z.object({}), z.object({ items: z.int(), variants: z.int(), colors: z.int(), sizes: z.int() }), 30_000),
  ),
  /** What people call the items, colours and sizes, withdrawn ones included: display names by unique name. */
  'items.names': question(z.object({ language: Language }), ItemNames),
  'categories.list': question(z.object({}), CategoryListResponse),

  'materials.list': question(z.object({ ...page, userId: id }), MaterialListResponse),
  /** With the products that the viewer may see. */
  'materials.get': question(z.object({ viewerId, materialId: z.int() }), MaterialResponse),
  'materials.create': slowCommand(MaterialCreateRequest, WrittenMaterialResponse, 28_000),
  'materials.text': slowCommand(
    MaterialTextBody.extend({ viewerId, price, language: Language.default('en'), idempotency }),
    WrittenMaterialResponse,
    28_000,
  ),
  /** Changes what is sent and nothing else; answers all products of the material. */
  'materials.update': command(
    MaterialUpdateBody.unwrap().extend({
      viewerId,
      materialId: z.int(),
      price: price.optional(),
      language: Language.default('en'),
    }),
    WrittenMaterialResponse,
  ),
  'materials.delete': command(z.object({ viewerId, materialId: z.int() }), z.null()),
  /** Hides the material and its products from everybody but the owner, or lifts that again. */
  'materials.violate': byOperator(command(moderation, ModeratedMaterial)),
  'materials.clear': byOperator(command(moderation, ModeratedMaterial)),
  /** Those of the references whose texture is used by a material or a product of the user. */
  'materials.used-textures': question(
    z.object({ references: z.array(TextureReference).max(500) }),
    z.array(TextureReference),
  ),
  'materials.image-source': question(z.object({ materialId: z.int(), itemName: z.string().optional() }), ImageSource),

  'products.list': question(
    z.object({ ...page, itemId: id, userId: id, userName: z.string().optional(), materialId: id }),
    ProductListResponse,
  ),
  'products.search': question(z.object({ ...page, itemId: id, q: z.string() }), ProductListResponse),
  'products.on-sale': question(z.object(page), ProductListResponse),
  'products.get': question(z.object({ viewerId, productId: z.int() }), ProductResponse),
  /**
   * The product that a page address names: the creator in any case, the material, the item. Shown in the variant of this
   * size and colour, which must be one of the item; without one, as `products.get`.
   */
  'products.find': question(
    z.object({
      viewerId,
      userName: nameText,
      materialId: z.int(),
      itemName: nameText,
      variant: z.object({ size: nameText, color: nameText }).optional(),
    }),
    ProductResponse,
  ),
  /**
   * Settles which variant is meant, the representative one where none is named. Refused with `entries.<index>.<key>`
   * when the viewer may not see a product or when a variant is not of its item.
   */
  'products.choose': question(
    z.object({
      viewerId,
      entries: z.array(z.object({ productId: z.int(), itemVariantId: z.int().optional() })).max(500),
    }),
    z.object({ entries: z.array(ProductVariant) }),
  ),
  /**
   * A page that another service has put together, as finished JSON in the order given: each product shown in the named
   * variant. Products that the viewer may not see are left out. `nextOffset` is null on the last page.
   */
  'products.page': question(
    z.object({
      viewerId,
      entries: z.array(z.object({ productId: z.int(), itemVariantId: z.int().nullable() })).max(50),
      nextOffset: z.int().nullable(),
    }),
    ProductListResponse,
  ),

  'sales.create': byOperator(
    command(
      z.object({
        name: text(1, 255),
        target: SaleTarget,
        discount: SaleDiscount,
        /** Now, when absent. */
        startsAt: isoDate.optional(),
        /** Until it is ended, when absent. */
        endsAt: isoDate.optional(),
      }),
      Sale,
    ),
  ),
  'sales.list': byOperator(question(z.object({}), z.object({ sales: z.array(Sale) }))),
  'sales.end': byOperator(command(z.object({ saleId: z.int() }), Sale)),
  /** Somebody has bought the product: its owner is told. */
  'sales.record': byOperator(
    command(
      z.object({ productId: z.int(), buyerName: nameText.optional() }),
      z.object({ productId: z.int(), title: z.string(), ownerName: z.string(), buyerName: z.string().nullable() }),
    ),
  ),

  'banners.list': question(z.object({}), BannerListResponse),
  'banners.create': byOperator(command(z.object({ displaySize: text(1, 64), imageUrl: webUrl }), Banner)),
  'banners.delete': byOperator(command(z.object({ bannerId: z.int() }), z.object({ deleted: z.boolean() }))),
  'promotions.list': question(z.object({}), PromotionListResponse),
  'promotions.create': byOperator(
    command(z.object({ name: text(1, 255), category: text(1, 64), url: webUrl }), Promotion),
  ),
  'promotions.delete': byOperator(command(z.object({ promotionId: z.int() }), z.object({ deleted: z.boolean() }))),
} as const satisfies MessageTable;
