import { z } from 'zod';
import { command, question, type MessageTable } from '../message.js';
import { MaterialCreateBody, MaterialProduct, SubMaterial } from '../requests.js';
import {
  ItemListResponse,
  MaterialListResponse,
  MaterialResponse,
  ProductListResponse,
  ProductResponse,
} from '../responses.js';
import { ResizeMode } from '../resources/product.js';
import { healthMessages } from './health.js';
import { TextureSource } from './material-rendering.js';

const viewerId = z.int();

/** What the gateway has parsed out of a query. */
const page = { viewerId, limit: z.int(), offset: z.int() };
const id = z.int().optional();

/** A data URI never travels: the gateway has put its bytes into the blob store. */
export const StoredSubMaterial = SubMaterial.extend({ texture: TextureSource });
export const MaterialCreateRequest = MaterialCreateBody.extend({
  viewerId,
  texture: TextureSource,
  products: z.array(MaterialProduct.extend({ sub_materials: z.array(StoredSubMaterial) })),
});

/** What must be known to draw any picture of a material. `rgb` is `#rrggbb`. */
export const PictureSource = z.object({
  materialId: z.int(),
  filePath: z.string(),
  textureHash: z.string(),
  products: z.array(
    z.object({
      itemName: z.string(),
      /** What was asked for, or what suits the item. */
      resizeMode: ResizeMode,
      /** The sides with a picture of their own, beside the default place, which carries the material. */
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
export type PictureSource = z.output<typeof PictureSource>;

export const catalogMessages = {
  ...healthMessages,
  'items.list': question(z.object({}), ItemListResponse),
  /** Loads the catalogue files that ship with the service; loading the same files twice changes nothing. */
  'items.load': command(
    z.object({}),
    z.object({ items: z.int(), variants: z.int(), colors: z.int(), sizes: z.int() }),
    30_000,
  ),
  'materials.list': question(z.object({ ...page, userId: id }), MaterialListResponse),
  'materials.create': command(MaterialCreateRequest, MaterialResponse, 28_000),
  'materials.delete': command(z.object({ viewerId, materialId: z.int() }), z.null()),
  'materials.picture-source': question(
    z.object({ materialId: z.int(), itemName: z.string().optional() }),
    PictureSource,
  ),
  'products.list': question(
    z.object({ ...page, itemId: id, userId: id, userName: z.string().optional(), materialId: id }),
    ProductListResponse,
  ),
  'products.get': question(z.object({ viewerId, productId: z.int() }), ProductResponse),
  /** Who is told when somebody favors the product; refused as not found when the viewer may not see it. */
  'products.owner': question(
    z.object({ viewerId, productId: z.int() }),
    z.object({ productId: z.int(), title: z.string(), ownerId: z.int() }),
  ),
} as const satisfies MessageTable;
