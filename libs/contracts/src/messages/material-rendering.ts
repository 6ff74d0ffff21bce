import { z } from 'zod';
import { webUrl } from '../field.js';
import { byOperator, command, query, slowCommand, slowQuery, type MessageTable } from '../message.js';
import { ResizeMode } from '../resources/product.js';
import { PrintWarning } from '../resources/material.js';
import { PlacedArtwork } from '../resources/placement.js';
import { PreflightFinding, PreflightPlace } from '../resources/preflight.js';
import { colorSpaces, PrintFile, PrintFileFormat, PrintFiles } from '../resources/print-files.js';
import { ProductionStatus } from '../resources/purchase.js';
import { operatorPage } from '../paging.js';
import { healthMessages } from './health.js';

/**
 * Source of an image: a URL to fetch, or an upload that the gateway has stored in the blob store.
 */
export const TextureSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('url'), url: z.string().max(2_048) }),
  z.object({ kind: z.literal('upload'), key: z.string().regex(/^uploads\/[0-9a-f-]{36}$/) }),
]);
export type TextureSource = z.output<typeof TextureSource>;

/** An image stored without metadata under the SHA-256 of the stored bytes. */
export const Texture = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  format: z.enum(['png', 'jpeg', 'webp', 'avif', 'gif']),
  /** Pixels, after applying the orientation of the file. */
  width: z.int(),
  height: z.int(),
  /** Size of the stored file. */
  bytes: z.int(),
  /** `#rrggbb`; null for a fully transparent image. */
  dominantRgb: z.string().nullable(),
  /** True if only the first of its frames is printed. The previous version does not send it. */
  animated: z.boolean().optional(),
});
export type Texture = z.output<typeof Texture>;

/** Number of imported versions of an item. The previous version of the services sends none. */
export const ItemVersion = z.int().min(0).default(0);

/** SHA-256 of packed layers in the blob store. */
export const LayersHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullish();

/** One main texture, and ten other print places for each of a hundred products. */
const maxTextureSources = 1_001;

export const imageFormats = ['webp', 'jpg', 'png', 'avif'] as const;
export const ImageFormat = z.enum(imageFormats);
export type ImageFormat = z.output<typeof ImageFormat>;

/** Parameters of an image URL. `adjustment` moves and scales the print. */
export const ImageRequest = z.object({
  width: z.int(),
  height: z.int(),
  itemName: z.string(),
  size: z.string(),
  color: z.string(),
  angle: z.string().nullable(),
  materialId: z.int(),
  filePath: z.string(),
  adjustment: z.string().nullable(),
  format: ImageFormat,
  printed: z.boolean(),
  /** True for a soft proof: colors as printed. Missing in requests of the previous version. */
  proof: z.boolean().default(false),
  /** Revision of the product's images, from the URL. Clients can send any value. */
  revision: z.int().min(0).default(0),
  /** True if the signature permits an image of an unpublished product. */
  draft: z.boolean().default(false),
});
export type ImageRequest = z.output<typeof ImageRequest>;

/** Artwork of previews: a stored texture, or an image that is stored for its previews only. */
const PreviewTexture = Texture.pick({ hash: true, width: true, height: true }).extend({
  /** Key of its bytes in the blob store. */
  key: z.string(),
});

/** End of previews, in seconds since 1970. */
const previewEnd = {
  expiresAt: z.int(),
  /** Time from which the blobs of the previews are deleted, at or after their expiry. */
  sweepAt: z.int(),
};

const { dominantRgb, animated } = Texture.shape;
/** Artwork that previews can be rendered from until they expire. */
export const PreviewArtwork = PreviewTexture.extend({ dominantRgb, animated, ...previewEnd });
export type PreviewArtwork = z.output<typeof PreviewArtwork>;

/** Everything needed to render a preview. The URL contains it, so that nothing is stored. */
export const PreviewImage = z.object({
  itemName: z.string(),
  angle: z.string(),
  /** Color of the item, `#rrggbb`. */
  rgb: z.string(),
  /** Width and height in pixels. */
  side: z.int(),
  place: z.string(),
  texture: PreviewTexture,
  resizeMode: ResizeMode,
  /** Null = as fitted by the resize mode. */
  placed: PlacedArtwork.nullable(),
  /** SHA-256 of the packed layers in the blob store. Null or missing = layers that ship. */
  layers: LayersHash,
  /** True if the request has created more than one preview. */
  oneOfMany: z.boolean(),
  ...previewEnd,
});
export type PreviewImage = z.output<typeof PreviewImage>;

/** Image on another host, of which the shop shows a copy: of a user, a choice or a banner. */
export const ExternalImage = z.object({
  /** User with whom the copy is deleted: 0 for a banner, which an operator deletes. */
  userId: z.int(),
  kind: z.enum(['avatar', 'header', 'choice', 'banner']),
  /** Id of the user, choice or banner. */
  id: z.int(),
  url: webUrl,
});
export type ExternalImage = z.output<typeof ExternalImage>;

/** Maximum number of keys in `images.used`: less than 256 KB with the longest keys. */
export const maxUsedKeys = 500;

const evictedKey = z
  .string()
  .max(512)
  .regex(/^(drawn|blanks)\//);

/**
 * Owner of a texture. The previous version of catalog sends no user: the texture is then retained
 * while any user uses it.
 */
const textureUser = z.int().default(0);

/** Requirements of the printer of a place. Lengths are in millimetres. */
const Printing = z.object({
  technique: z.string(),
  dpi: z.number(),
  bleed: z.number(),
  safeZone: z.number(),
  colorSpace: z.enum(colorSpaces),
  whiteUnderbase: z.string(),
  mirror: z.boolean(),
});

/**
 * Everything that print files are made from: a snapshot of the product, so that equal orders have
 * equal files.
 */
export const PrintOrder = z.object({
  userId: z.int(),
  productId: z.int(),
  materialId: z.int(),
  title: z.string(),
  /** Time of the last change of the product, which the files contain as their date (ISO 8601). */
  changedAt: z.string(),
  item: z.string(),
  variant: z.object({ id: z.int(), size: z.string(), color: z.string(), rgb: z.string(), isDark: z.boolean() }),
  places: z.array(
    z.object({
      place: z.string(),
      format: PrintFileFormat,
      textureHash: z.string(),
      placed: PlacedArtwork,
      area: z.object({ width: z.number(), height: z.number() }),
      printing: Printing,
    }),
  ),
  warnings: z.array(PrintWarning),
});
export type PrintOrder = z.output<typeof PrintOrder>;

/** State of print files. `files` and `ticket` (SHA-256) are empty and null until `ready`. */
export const StoredPrintFiles = PrintFiles.pick({ id: true, status: true, progress: true }).extend({
  /** Time until which ready files are stored at least. */
  storedUntil: z.iso.datetime(),
  files: z.array(PrintFile.omit({ url: true, expiresAt: true })),
  ticket: z.string().nullable(),
  warnings: z.array(PrintWarning),
});
export type StoredPrintFiles = z.output<typeof StoredPrintFiles>;

/** Production of a purchase, as shown to the operator. Times are ISO 8601 in UTC. */
const Production = z.object({
  purchaseId: z.int(),
  externalId: z.string().nullable(),
  quantity: z.int(),
  productId: z.int(),
  title: z.string(),
  variantId: z.int(),
  status: ProductionStatus,
  /** Why the last attempt failed; null for other productions. */
  reason: z.string().nullable(),
  /** Prefix of its files in the blob store. */
  folder: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Production = z.output<typeof Production>;
const purchaseId = z.int();
const millimetres = z.number().nonnegative();

/** Prints of a product to check, and the colors of its item. Lengths are in millimetres. */
const PreflightRequest = z.object({
  places: z.array(
    z.object({
      place: z.string(),
      textureHash: Texture.shape.hash,
      placed: PlacedArtwork,
      area: z.object({ width: z.number(), height: z.number() }),
      technique: PreflightPlace.shape.technique,
      dpi: z.number().positive(),
      bleed: millimetres,
      safeZone: millimetres,
      colorSpace: z.enum(colorSpaces),
      hidden: z.array(z.object({ x: millimetres, y: millimetres, width: millimetres, height: millimetres })),
    }),
  ),
  colors: z.array(z.object({ name: z.string(), rgb: z.string().regex(/^#[0-9a-f]{6}$/) })),
});

export const materialRenderingMessages = {
  ...healthMessages,
  /**
   * Fetches or reads the images of a request, validates them and stores all or none. The caller
   * sends each image once. Returns the textures in the order of the sources. A 422 error names
   * every rejected source as `sources.<index>`. Uploads are deleted in any case.
   */
  'textures.store': slowCommand(
    z.object({ userId: textureUser, sources: z.array(TextureSource).min(1).max(maxTextureSources) }),
    z.array(Texture),
    25_000,
  ),
  /** Renders a text on a transparent background and stores it as a texture. `rgb` is `#rrggbb`. */
  'textures.render-text': slowCommand(
    z.object({ userId: textureUser, text: z.string().min(1).max(510), rgb: z.string().regex(/^#[0-9a-f]{6}$/) }),
    Texture,
    20_000,
  ),
  /**
   * Stores a copy of an external image and returns its blob key. The fetch is repeated at most once
   * an hour while it fails. The caller has read the URL from the user, choice or banner.
   */
  'external-images.store': slowCommand(ExternalImage, z.object({ key: z.string() }), 25_000),
  /**
   * Returns the blob key of an image: that of the requested revision if it is stored, otherwise
   * that of the current revision, which is rendered and stored if it is missing.
   */
  'images.render': query(ImageRequest, z.object({ key: z.string() }), 10_000),
  /**
   * Returns the blob key of the image of a worn item, which is rendered and stored if missing, and
   * the version of the item that it shows.
   */
  'wearing-images.render': query(
    z.object({ itemName: z.string(), format: ImageFormat, version: ItemVersion }),
    z.object({ key: z.string(), version: ItemVersion }),
    10_000,
  ),
  /**
   * Provides an artwork for previews: stores an image, validated as by `textures.store`, until they
   * have expired, or finds a stored texture. Writes no row.
   */
  'previews.prepare': slowCommand(
    z.object({
      userId: z.int(),
      source: z.discriminatedUnion('kind', [
        ...TextureSource.options,
        z.object({ kind: z.literal('stored'), hash: Texture.shape.hash }),
      ]),
    }),
    PreviewArtwork,
    25_000,
  ),
  /** Returns the blob key of a preview, which is rendered and stored if it is missing. */
  'previews.render': query(PreviewImage, z.object({ key: z.string() }), 10_000),
  /** Checks the prints of a product. */
  'preflight.measure': slowQuery(
    PreflightRequest,
    z.object({
      places: z.array(
        PreflightPlace.pick({ place: true, effectiveDpi: true, emptyShare: true, outOfGamutShare: true }).extend({
          findings: z.array(PreflightFinding.pick({ code: true, value: true, limit: true, colors: true })),
        }),
      ),
    }),
    25_000,
  ),
  /**
   * Starts to make print files, or returns the state of those of the same order. `isLimited` is
   * false if the limits of the owner do not apply.
   */
  'print-files.request': command(PrintOrder.extend({ isLimited: z.boolean().default(true) }), StoredPrintFiles),
  /** Returns a page of productions, newest first. `nextOffset` is null on the last page. */
  'productions.list': byOperator(
    query(
      z.object({ status: ProductionStatus.optional(), ...operatorPage }),
      z.object({ productions: z.array(Production), nextOffset: z.int().nullable() }),
    ),
  ),
  'productions.show': byOperator(query(z.object({ purchaseId }), Production)),
  /** Makes missing files again, and publishes all of them. */
  'productions.retry': byOperator(command(z.object({ purchaseId }), Production)),
  /** Returns the state of the print files of a product. */
  'print-files.status': query(z.object({ productId: z.int(), printFilesId: z.int() }), StoredPrintFiles),
  /**
   * Updates the time of last use of images, so that less recently used images are evicted first. A
   * lost message is harmless.
   */
  'images.used': command(z.object({ keys: z.array(evictedKey).max(maxUsedKeys) }), z.null()),
} as const satisfies MessageTable;
