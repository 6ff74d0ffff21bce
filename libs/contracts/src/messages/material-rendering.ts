import { z } from 'zod';
import { command, question, type MessageTable } from '../message.js';
import { healthMessages } from './health.js';

/** Where a picture comes from: an address to fetch, or bytes that the gateway has put into the blob store. */
export const TextureSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('url'), url: z.string().max(2_048) }),
  z.object({ kind: z.literal('upload'), key: z.string().regex(/^uploads\/[0-9a-f-]{36}$/) }),
]);
export type TextureSource = z.output<typeof TextureSource>;

/** A picture that was read, measured and stored under the SHA-256 of its bytes. */
export const Texture = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  format: z.enum(['png', 'jpeg', 'webp', 'avif', 'gif']),
  /** Pixels, after the orientation of the file was applied. */
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  /** `#rrggbb`; null when nothing is visible. */
  dominantRgb: z.string().nullable(),
});
export type Texture = z.output<typeof Texture>;

/** A main texture, and ten further sides for each of a hundred products. */
const texturesAtMost = 1_001;

export const pictureFormats = ['webp', 'jpg', 'png', 'avif'] as const;
export const PictureFormat = z.enum(pictureFormats);
export type PictureFormat = z.output<typeof PictureFormat>;

/** One product picture, as an image URL names it. `adjustment` moves and scales the print. */
export const PictureRequest = z.object({
  width: z.int(),
  height: z.int(),
  itemName: z.string(),
  size: z.string(),
  color: z.string(),
  angle: z.string().nullable(),
  materialId: z.int(),
  filePath: z.string(),
  adjustment: z.string().nullable(),
  format: PictureFormat,
  printed: z.boolean(),
});
export type PictureRequest = z.output<typeof PictureRequest>;

export const materialRenderingMessages = {
  ...healthMessages,
  /**
   * Fetches or reads the distinct pictures of a request, checks them and stores all or none. Answers them in the order
   * of the sources; a refusal names every refused one as `sources.<index>`. Uploads are removed in any case.
   */
  'textures.take': command(
    z.object({ sources: z.array(TextureSource).min(1).max(texturesAtMost) }),
    z.array(Texture),
    25_000,
  ),
  /** Draws a text as a picture with a transparent ground and stores it like any other texture. `rgb` is `#rrggbb`. */
  'textures.write': command(
    z.object({ text: z.string().min(1).max(510), rgb: z.string().regex(/^#[0-9a-f]{6}$/) }),
    Texture,
    20_000,
  ),
  /** Renders and stores one picture; the answer says where it is in the blob store. */
  'pictures.render': question(PictureRequest, z.object({ key: z.string() }), 10_000),
} as const satisfies MessageTable;
