import { z } from 'zod';
import { command, question, slowCommand, type MessageTable } from '../message.js';
import { healthMessages } from './health.js';

/** Where an image comes from: an address to fetch, or bytes that the gateway has put into the blob store. */
export const TextureSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('url'), url: z.string().max(2_048) }),
  z.object({ kind: z.literal('upload'), key: z.string().regex(/^uploads\/[0-9a-f-]{36}$/) }),
]);
export type TextureSource = z.output<typeof TextureSource>;

/** An image that was read, measured and stored without metadata under the SHA-256 of what is stored. */
export const Texture = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  format: z.enum(['png', 'jpeg', 'webp', 'avif', 'gif']),
  /** Pixels, after the orientation of the file was applied. */
  width: z.int(),
  height: z.int(),
  /** Of what is stored. */
  bytes: z.int(),
  /** `#rrggbb`; null when nothing is visible. */
  dominantRgb: z.string().nullable(),
});
export type Texture = z.output<typeof Texture>;

/** A main texture, and ten further sides for each of a hundred products. */
const texturesAtMost = 1_001;

export const imageFormats = ['webp', 'jpg', 'png', 'avif'] as const;
export const ImageFormat = z.enum(imageFormats);
export type ImageFormat = z.output<typeof ImageFormat>;

/** One product image, as an image URL names it. `adjustment` moves and scales the print. */
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
  /** The revision of the product's images, from the address. Any client can invent one. */
  revision: z.int().min(0).default(0),
  /** Whether the signature permits an image of an unpublished product. */
  draft: z.boolean().default(false),
});
export type ImageRequest = z.output<typeof ImageRequest>;

/** How many images one message may note as used: fewer than 256 KB of the longest keys. */
export const usesAtMost = 500;

const evictedKey = z
  .string()
  .max(512)
  .regex(/^(drawn|blanks)\//);

/** Whose a texture is. A catalogue of the version before names no user: it stays while any user uses it. */
const textureUser = z.int().default(0);

export const materialRenderingMessages = {
  ...healthMessages,
  /**
   * Fetches or reads the distinct images of a request, checks them and stores all or none. Answers them in the order
   * of the sources; a refusal names every refused one as `sources.<index>`. Uploads are removed in any case.
   */
  'textures.take': slowCommand(
    z.object({ userId: textureUser, sources: z.array(TextureSource).min(1).max(texturesAtMost) }),
    z.array(Texture),
    25_000,
  ),
  /** Draws a text as an image with a transparent ground and stores it like any other texture. `rgb` is `#rrggbb`. */
  'textures.write': slowCommand(
    z.object({ userId: textureUser, text: z.string().min(1).max(510), rgb: z.string().regex(/^#[0-9a-f]{6}$/) }),
    Texture,
    20_000,
  ),
  /**
   * Renders and stores one image as the material is now; the reply is its blob key. That is the key of the request only
   * when the request names the current revision.
   */
  'images.render': question(ImageRequest, z.object({ key: z.string() }), 10_000),
  /** Notes images as used now, so that others are deleted before them. A hint: it may get lost. */
  'images.used': command(z.object({ keys: z.array(evictedKey).max(usesAtMost) }), z.null()),
} as const satisfies MessageTable;
