import { z } from 'zod';
import { webUrl } from '../field.js';
import { command, query, slowCommand, type MessageTable } from '../message.js';
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
});
export type Texture = z.output<typeof Texture>;

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
  /** Revision of the product's images, from the URL. Clients can send any value. */
  revision: z.int().min(0).default(0),
  /** True if the signature permits an image of an unpublished product. */
  draft: z.boolean().default(false),
});
export type ImageRequest = z.output<typeof ImageRequest>;

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
   * Updates the time of last use of images, so that less recently used images are evicted first. A
   * lost message is harmless.
   */
  'images.used': command(z.object({ keys: z.array(evictedKey).max(maxUsedKeys) }), z.null()),
} as const satisfies MessageTable;
