import { z } from 'zod';
import { activityLimitText, field, idNumber, idText, limitText, nameText, offsetText, text } from './field.js';
import { ResizeMode } from './resources/product.js';

/** What clients send: query strings and bodies. Unknown keys are ignored. */

export const page = { limit: limitText(20), offset: offsetText };

export const ProductParams = z.object({ productId: idText });
export const MaterialParams = z.object({ materialId: idText });

export const ProductListQuery = z.object({
  ...page,
  itemId: idText.optional(),
  userId: idText.optional(),
  userName: nameText.optional(),
  materialId: idText.optional(),
});
export const MaterialListQuery = z.object({ ...page, userId: idText.optional() });
export const ActivityListQuery = z.object({ limit: activityLimitText });

/** A picture as a client sends it. The gateway turns a data URI into an upload before anything else sees it. */
export const TextureText = z
  .string()
  .min(1, { error: 'must not be empty' })
  .refine((value) => /^(https?|data):/i.test(value), { error: 'must be an http or https URL, or a data URI' })
  .refine((value) => /^data:/i.test(value) || value.length <= 2_048, { error: 'must have at most 2048 characters' });

export const materialPriceMaximum = 100_000;
const MaterialPrice = z
  .int({ error: 'must be an integer' })
  .min(0, { error: 'must be 0 or more' })
  .max(materialPriceMaximum, { error: `must be ${materialPriceMaximum} or less` });
const Title = text(1, 255);
const Description = text(0, 10_000).nullable();

export const SubMaterial = z.object({
  texture: field(TextureText, 'picture as URL or data URI', 'https://example.com/back.png'),
  printSide: field(text(1, 64), 'side to print', 'back'),
  enabled: field(z.boolean().default(true), 'prints the side when true', true),
});

export const MaterialProduct = z.object({
  itemId: field(idNumber, 'item to make a product of', 1),
  exemplaryItemVariantId: field(idNumber.optional(), 'representative variant', 1),
  published: field(z.boolean().default(false), 'true publishes the product', true),
  resizeMode: field(ResizeMode.nullable().optional(), 'how the picture is laid into the print area', 'contain'),
  sub_materials: z.array(SubMaterial).max(10, { error: 'must have at most 10 entries' }).default([]),
});

export const MaterialCreateBody = z.object({
  texture: field(TextureText, 'picture as URL or data URI', 'https://example.com/cat.png'),
  title: field(Title, 'title', 'Lighthouse'),
  price: field(MaterialPrice.default(0), 'margin', 300),
  description: field(Description.default(null), 'description', null),
  products: z.array(MaterialProduct).max(100, { error: 'must have at most 100 entries' }).default([]),
});

export const FavoriteCreateBody = z
  .object({
    anonymouse: field(z.boolean().optional(), 'true makes the favorite anonymous (published spelling)', false),
    anonymous: field(z.boolean().optional(), 'the same, spelled as in a dictionary (addition)', false),
    count: field(z.int().min(1).max(100).default(1), 'number of favorites to add', 1),
  })
  .default({ count: 1 });
