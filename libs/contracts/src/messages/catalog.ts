import { z } from 'zod';
import { nameText, text, webUrl } from '../field.js';
import { Language, NameLanguage } from '../language.js';
import { byOperator, command, perViewer, query, slowCommand, slowQuery, type MessageTable } from '../message.js';
import { operatorPage } from '../paging.js';
import {
  MaterialCreateBody,
  MaterialProduct,
  MaterialTextBody,
  MaterialUpdateBody,
  PrintFilesCreateBody,
  PreviewCreateBody,
  SubMaterial,
} from '../requests.js';
import {
  CategoryListResponse,
  ItemListResponse,
  MaterialListResponse,
  MaterialResponse,
  ProductListResponse,
  ProductResponse,
  PreflightResponse,
  PreviewCreateResponse,
  PrintFilesResponse,
  PromotionListResponse,
  MaterialWriteResponse,
} from '../responses.js';
import { Banner, Promotion } from '../resources/storefront.js';
import { PlacedArtwork } from '../resources/placement.js';
import { ResizeMode } from '../resources/product.js';
import { ExternalId, maxQuantity } from '../resources/purchase.js';
import { healthMessages } from './health.js';
import { validationMessages } from './validation.js';
import { idempotency } from './idempotency.js';
import { ItemVersion, LayersHash, TextureSource } from './material-rendering.js';

const viewerId = z.int();

/** True if the token of the request has the scope `production`. */
const ofAnyOwner = z.boolean().default(false);

/** Viewer and page parameters, parsed by the gateway. */
const page = { viewerId, limit: z.int(), offset: z.int() };
const id = z.int().optional();

const localized = z.object({ nameLanguage: NameLanguage });

/** Price of a material. The gateway has checked it against MATERIAL_PRICE_MAX. */
const price = z.int().min(0);

/** Sub-material whose texture is a URL, or an upload that the gateway stored for a data URI. */
const StoredSubMaterial = SubMaterial.extend({ texture: TextureSource });
const MaterialCreateRequest = MaterialCreateBody.extend({
  viewerId,
  price,
  texture: TextureSource,
  products: z.array(MaterialProduct.extend({ sub_materials: z.array(StoredSubMaterial) })),
  /** Language of the warnings. */
  language: Language.default('en'),
  nameLanguage: NameLanguage,
  idempotency,
});

/** Everything needed to render any image of a material. `rgb` is `#rrggbb`. */
export const ImageSource = z.object({
  materialId: z.int(),
  filePath: z.string(),
  textureHash: z.string(),
  products: z.array(
    z.object({
      itemName: z.string(),
      /**
       * Number of changes of the images of the product. Read in the same snapshot as the other
       * fields.
       */
      revision: z.int().default(0),
      /** Image URLs of unpublished products are shown to the owner only. */
      published: z.boolean().default(true),
      /** Requested resize mode, or the default of the item. */
      resizeMode: ResizeMode,
      /**
       * Print places with their own image. Without an entry, the default place has the image of the
       * material.
       */
      prints: z.array(z.object({ place: z.string(), textureHash: z.string(), placed: PlacedArtwork.optional() })),
      /** Position of the image of the material on the default place. Missing = as fitted. */
      placed: PlacedArtwork.optional(),
      defaultPrintPlace: z.string(),
      /** Places that are printed in CMYK. Missing in replies of the previous version. */
      cmykPlaces: z.array(z.string()).default([]),
      colors: z.array(z.object({ name: z.string(), rgb: z.string() })),
      sizes: z.array(z.string()),
      angles: z.array(z.string()),
      essentialAngles: z.array(z.string()),
      /**
       * SHA-256 of the packed layers in the blob store. Null = layers that ship with the service.
       * Missing in replies of the previous version.
       */
      layers: LayersHash,
      sample: z.object({ size: z.string(), color: z.string(), angle: z.string() }),
    }),
  ),
});
export type ImageSource = z.output<typeof ImageSource>;

const displayNames = z.record(z.string(), z.string());
/** Hash of a bundle or of packed layers. */
const sha256 = z.string().regex(/^[\da-f]{64}$/);

/** An imported item. `enabled` is false after `blanks.retire`. */
export const ImportedItem = z.object({
  id: z.int(),
  name: z.string(),
  version: z.int(),
  enabled: z.boolean(),
  variants: z.int(),
  products: z.int(),
});
export type ImportedItem = z.output<typeof ImportedItem>;

/** An item, imported or shipped (version 0), with its prices in yen without tax. */
export const ItemDetails = ImportedItem.omit({ variants: true }).extend({
  displayName: displayNames,
  category: z.string(),
  /** Enabled variants. */
  variants: z.array(z.object({ color: z.string(), size: z.string(), price: z.int() })),
  /** Print places with their area in millimetres. `price` is added when the place is printed. */
  printPlaces: z.array(z.object({ name: z.string(), price: z.int(), width: z.number(), height: z.number() })),
  angles: z.array(z.object({ name: z.string(), printPlace: z.string(), essential: z.boolean() })),
  /** SHA-256 of the packed layers in the blob store. Null = layers that ship. */
  layers: sha256.nullable(),
});
export type ItemDetails = z.output<typeof ItemDetails>;

/** Blob of an imported item, for backups. */
export const ItemBlob = z.object({ key: z.string(), bytes: z.int(), sha256 });
export type ItemBlob = z.output<typeof ItemBlob>;

/** Content of a bundle, without its layers and icon, which are in the blob store. */
export const ImportedBundle = z.object({
  hash: sha256,
  layers: sha256.nullable(),
  blobs: z.array(ItemBlob).max(10),
  /** Content of `item.json`, which the catalog validates. */
  item: z.unknown(),
  colors: z.array(z.unknown()),
  sizes: z.array(z.unknown()),
  categories: z.array(z.unknown()),
  printPlaces: z.array(z.unknown()),
});
export type ImportedBundle = z.output<typeof ImportedBundle>;

export const ItemNames = z.object({
  items: displayNames,
  colors: displayNames,
  sizes: displayNames,
  /** Missing in replies of the previous version. */
  categories: displayNames.default({}),
  /** Printable places of each item with their sizes. Missing in replies of the previous version. */
  printAreas: z
    .record(z.string(), z.array(z.object({ place: z.string(), widthMm: z.number(), heightMm: z.number() })))
    .default({}),
  /** Allowed resize modes of each item. Missing in replies of the previous version. */
  resizeModes: z.record(z.string(), z.array(ResizeMode)).default({}),
});
export type ItemNames = z.output<typeof ItemNames>;

/** Parts of the address of a product page. */
const productPath = { userName: nameText, materialId: z.int(), itemName: nameText };
const VariantPath = z.object({ size: nameText, color: nameText });

/** A product in one of its variants. */
export const ProductVariant = z.object({ productId: z.int(), itemVariantId: z.int() });
export type ProductVariant = z.output<typeof ProductVariant>;

/** Target of a sale: an item, a user or a product. */
export const SaleTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('item'), itemId: z.int() }),
  z.object({ kind: z.literal('user'), userName: z.string() }),
  z.object({ kind: z.literal('product'), productId: z.int() }),
]);
export type SaleTarget = z.output<typeof SaleTarget>;

/** Discount on the price including tax: whole percent, or an amount in whole currency units. */
export const SaleDiscount = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('percent'), percent: z.int().min(1).max(100) }),
  z.object({ kind: z.literal('amount'), amount: z.int().min(1) }),
]);
export type SaleDiscount = z.output<typeof SaleDiscount>;

/**
 * A sale as shown to the operator. Times are ISO 8601 in UTC. `endsAt` is null for a sale without
 * an end.
 */
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

/** A recorded purchase. `title` and `ownerName` are null if the product was deleted since. */
export const RecordedPurchase = z.object({
  purchaseId: z.int(),
  externalId: z.string().nullable(),
  productId: z.int(),
  variantId: z.int(),
  quantity: z.int(),
  title: z.string().nullable(),
  ownerName: z.string().nullable(),
  buyerName: z.string().nullable(),
  /** True if an earlier request has recorded the purchase. */
  isRepeated: z.boolean(),
});
export type RecordedPurchase = z.output<typeof RecordedPurchase>;

/** A banner with the fields that only the front page and the operator use. */
export const LinkedBanner = Banner.extend({
  altText: z.string().nullable().optional(),
  linkUrl: z.string().nullable().optional(),
});
export type LinkedBanner = z.output<typeof LinkedBanner>;

const isoDate = z.iso.datetime({ offset: true, error: 'must be a date such as 2026-12-24T00:00:00+09:00' });

/** A material as shown to the operator. */
const ModeratedMaterial = z.object({
  id: z.int(),
  title: z.string(),
  userName: z.string(),
  violation: z.boolean(),
  reason: z.string().nullable(),
});
const moderation = z.object({ materialId: z.int(), reason: text(1, 1_000) });

/** A user and a texture of one of the user's materials. User 0 means any user. */
export const TextureReference = z.object({ userId: z.int(), hash: z.string() });
export type TextureReference = z.output<typeof TextureReference>;

export const catalogMessages = {
  ...healthMessages,
  ...validationMessages,
  'items.list': query(localized, ItemListResponse),
  /**
   * Loads the catalog files that are part of the service. Idempotent. `withoutItems` hides their
   * items from new products, as `blanks.retire` does.
   */
  'items.load': byOperator(
    command(
      z.object({ withoutItems: z.boolean().default(false) }),
      z.object({
        items: z.int(),
        variants: z.int(),
        colors: z.int(),
        sizes: z.int(),
        /** Names of the operator that the files have, too: `item mug`. Missing in older replies. */
        kept: z.array(z.string()).default([]),
      }),
      30_000,
    ),
  ),
  /**
   * Adds or replaces an item of the operator. The same bundle only offers a retired item again. The
   * layers must be in the blob store.
   */
  'blanks.import': byOperator(
    command(
      ImportedBundle,
      z.object({
        item: ImportedItem,
        changed: z.boolean(),
        /** True for the stored version of a retired item. Missing in older replies. */
        offeredAgain: z.boolean().default(false),
      }),
      30_000,
    ),
  ),
  'blanks.list': byOperator(query(z.object({}), z.object({ items: z.array(ImportedItem) }))),
  'blanks.show': byOperator(query(z.object({ name: z.string() }), ItemDetails)),
  /** Returns the keys of blobs of imported items, retired ones included. */
  'blanks.used-blobs': query(z.object({ keys: z.array(z.string()).max(500) }), z.object({ keys: z.array(z.string()) })),
  /** Hides an imported item from new products. Its products remain. */
  'blanks.retire': byOperator(command(z.object({ name: z.string() }), ImportedItem)),
  /**
   * Returns the display names of items, colors, sizes and categories by unique name, including
   * withdrawn ones, and the print areas by the name of the item.
   */
  'items.names': query(z.object({ language: Language }), ItemNames),
  /**
   * Returns what the image of the worn item shows, at least in the requested version if that is
   * stored; null for an item without such an image.
   */
  'items.wearing-image': query(
    z.object({ itemName: z.string(), version: ItemVersion }),
    z
      .object({
        angle: z.string(),
        color: z.string(),
        rgb: z.string(),
        layers: sha256.nullable(),
        version: ItemVersion,
      })
      .nullable(),
  ),
  'categories.list': query(localized, CategoryListResponse),

  'materials.list': perViewer(query(z.object({ ...page, userId: id }), MaterialListResponse)),
  /** Returns the material with the products that the viewer may see. */
  'materials.get': query(localized.extend({ viewerId, materialId: z.int() }), MaterialResponse),
  /** Returns the same as `materials.get`, with print warnings. */
  'materials.describe': query(
    localized.extend({ viewerId, materialId: z.int(), language: Language.default('en') }),
    MaterialWriteResponse,
  ),
  'materials.create': slowCommand(MaterialCreateRequest, MaterialWriteResponse, 28_000),
  'materials.text': slowCommand(
    MaterialTextBody.extend({
      viewerId,
      price,
      /** Whether the T-shirt is published. The API creates unpublished ones. */
      published: z.boolean().default(false),
      language: Language.default('en'),
      nameLanguage: NameLanguage,
      idempotency,
    }),
    MaterialWriteResponse,
    28_000,
  ),
  /** Updates only the fields that are sent. Returns all products of the material. */
  'materials.update': command(
    MaterialUpdateBody.unwrap().extend({
      viewerId,
      materialId: z.int(),
      price: price.optional(),
      language: Language.default('en'),
      nameLanguage: NameLanguage,
    }),
    MaterialWriteResponse,
  ),
  'materials.delete': command(z.object({ viewerId, materialId: z.int() }), z.null()),
  /**
   * Hides the material and its products from all users but the owner; `materials.clear` shows them
   * again.
   */
  'materials.violate': byOperator(command(moderation, ModeratedMaterial)),
  'materials.clear': byOperator(command(moderation, ModeratedMaterial)),
  /** Returns the reason of a violation to the owner; null without a violation. */
  'materials.violation-reason': query(
    z.object({ viewerId, materialId: z.int() }),
    z.object({ reason: z.string().nullable() }),
  ),
  /** Returns the material with its owner, `userId`, who may see all products of the material. */
  'materials.show': byOperator(query(z.object({ materialId: z.int() }), ModeratedMaterial.extend({ userId: z.int() }))),
  /** Returns a page of materials of a user, newest first. `nextOffset` is null on the last page. */
  'materials.find': byOperator(
    query(
      z.object({ userName: nameText, ...operatorPage }),
      z.object({ materials: z.array(ModeratedMaterial), nextOffset: z.int().nullable() }),
    ),
  ),
  /** Returns the references whose texture is used by a material or a product of the user. */
  'materials.used-textures': query(
    z.object({ references: z.array(TextureReference).max(500) }),
    z.array(TextureReference),
  ),
  'materials.image-source': query(z.object({ materialId: z.int(), itemName: z.string().optional() }), ImageSource),

  /** Validates a request for previews, and signs their URLs. Inserts no row. */
  'previews.create': slowCommand(
    z.object({
      ...PreviewCreateBody.shape,
      viewerId,
      texture: TextureSource.optional(),
      /** Language of the warnings. */
      language: Language.default('en'),
    }),
    PreviewCreateResponse,
    28_000,
  ),

  /** Reports on the prints of an own product. */
  'preflight.get': slowQuery(
    z.object({ viewerId, productId: z.int(), language: Language.default('en') }),
    PreflightResponse,
    28_000,
  ),

  /** Requests the print files of an own product. */
  'print-files.create': command(
    PrintFilesCreateBody.unwrap().extend({
      viewerId,
      ofAnyOwner,
      productId: z.int(),
      idempotency,
    }),
    PrintFilesResponse,
  ),
  'print-files.get': query(
    z.object({ viewerId, ofAnyOwner, productId: z.int(), printFilesId: z.int() }),
    PrintFilesResponse,
  ),

  'products.list': query(
    localized.extend({ ...page, itemId: id, userId: id, userName: z.string().optional(), materialId: id }),
    ProductListResponse,
  ),
  /** Returns the newest public product of each material, newest first. */
  'products.newest': query(localized.extend({ limit: z.int(), offset: z.int() }), ProductListResponse),
  'products.search': query(localized.extend({ ...page, itemId: id, q: z.string() }), ProductListResponse),
  'products.on-sale': query(localized.extend(page), ProductListResponse),
  'products.get': query(localized.extend({ viewerId, productId: z.int() }), ProductResponse),
  /**
   * Returns the product of a page URL, which contains the name of the creator (case-insensitive),
   * the material and the item. The product is returned in the variant of the given size and color,
   * which must belong to the item; without `variant`, in the representative variant.
   */
  'products.find': query(
    z.object({ viewerId, ...productPath, variant: VariantPath.optional() }),
    // Missing in replies of the previous version
    ProductResponse.extend({ representativeVariantId: z.int().optional() }),
  ),
  /**
   * Resolves the variant of each entry, by default the representative variant. Errors have the path
   * `entries.<index>.<key>`: the viewer may not see the product, the variant does not belong to its
   * item, or the variant is not available.
   */
  'products.choose': query(
    z.object({
      viewerId,
      entries: z.array(z.object({ productId: z.int(), itemVariantId: z.int().optional() })).max(500),
    }),
    z.object({ entries: z.array(ProductVariant) }),
  ),
  /**
   * Returns a page of products as serialized JSON. The caller has selected ids, variants and order.
   * A null variant means the representative variant. Products that the viewer may not see are
   * omitted. The caller passes the `nextOffset` to return, null on the last page.
   */
  'products.page': query(
    localized.extend({
      viewerId,
      entries: z.array(z.object({ productId: z.int(), itemVariantId: z.int().nullable() })).max(50),
      nextOffset: z.int().nullable(),
    }),
    ProductListResponse,
  ),

  /** Returns the numbers of the sitemaps with products, in order. */
  'sitemaps.list': query(z.object({}), z.object({ sitemaps: z.array(z.int()) })),
  /**
   * Returns the public products of a sitemap in their representative variants, and the names of the
   * creators whose first public product is among them. Both are empty for an unknown number.
   */
  'sitemaps.get': query(
    z.object({ sitemap: z.int().min(1).max(1_000_000_000) }),
    z.object({
      creators: z.array(z.string()),
      products: z.array(z.object({ ...productPath, variant: VariantPath, updatedAt: z.iso.datetime() })),
    }),
  ),

  'sales.create': byOperator(
    command(
      z.object({
        name: text(1, 255),
        target: SaleTarget,
        discount: SaleDiscount,
        /** Default: now. */
        startsAt: isoDate.optional(),
        /** Default: no end. */
        endsAt: isoDate.optional(),
      }),
      Sale,
    ),
  ),
  'sales.list': byOperator(query(z.object({}), z.object({ sales: z.array(Sale) }))),
  'sales.end': byOperator(command(z.object({ saleId: z.int() }), Sale)),
  /**
   * Records a purchase of the product and notifies its owner. A purchase with a known external id
   * is not recorded again.
   */
  'sales.record': byOperator(
    command(
      z.object({
        productId: z.int(),
        buyerName: nameText.optional(),
        /** Default: the representative variant of the product. */
        variantId: z.int().optional(),
        quantity: z.int().min(1).max(maxQuantity).default(1),
        externalId: ExternalId.optional(),
      }),
      RecordedPurchase,
    ),
  ),

  /** `withLinks` adds the alternative texts and links, which the API's record has no fields for. */
  'banners.list': query(z.object({ withLinks: z.boolean().optional() }), z.object({ banners: z.array(LinkedBanner) })),
  'banners.create': byOperator(
    command(
      z
        .object({
          displaySize: text(1, 64),
          imageUrl: webUrl,
          altText: text(1, 255).optional(),
          linkUrl: webUrl.optional(),
        })
        .refine(({ altText, linkUrl }) => linkUrl === undefined || altText !== undefined, {
          path: ['altText'],
          error: 'is required with a link: the name of the link',
        }),
      LinkedBanner,
    ),
  ),
  'banners.delete': byOperator(command(z.object({ bannerId: z.int() }), z.object({ deleted: z.boolean() }))),
  'promotions.list': query(z.object({}), PromotionListResponse),
  'promotions.create': byOperator(
    command(z.object({ name: text(1, 255), category: text(1, 64), url: webUrl }), Promotion),
  ),
  'promotions.delete': byOperator(command(z.object({ promotionId: z.int() }), z.object({ deleted: z.boolean() }))),
} as const satisfies MessageTable;
