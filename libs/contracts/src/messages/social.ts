import { z } from 'zod';
import { NameLanguage } from '../language.js';
import { command, query, type MessageTable } from '../message.js';
import { ChoiceCreateBody, ChoiceProductBody, ChoiceUpdateBody } from '../requests.js';
import {
  ChoiceListResponse,
  ChoiceResponse,
  FavoriteCreateResponse,
  FavoriteDeleteResponse,
  ProductFavoriteListResponse,
  UserFavoriteListResponse,
  ProductListResponse,
} from '../responses.js';
import { healthMessages } from './health.js';
import { idempotency } from './idempotency.js';

const viewerId = z.int();
const page = { viewerId, limit: z.int(), offset: z.int() };
const choice = { viewerId, choiceId: z.int() };
const choiceProduct = ChoiceProductBody.unwrap().extend({ ...choice, idempotency });

export const socialMessages = {
  ...healthMessages,
  'choices.list': query(
    z.object({ ...page, userId: z.int().optional(), userName: z.string().optional() }),
    ChoiceListResponse,
  ),
  'choices.get': query(z.object(choice), ChoiceResponse),
  'choices.create': command(ChoiceCreateBody.extend({ viewerId, idempotency }), ChoiceResponse),
  'choices.update': command(ChoiceUpdateBody.unwrap().extend(choice), ChoiceResponse),
  'choices.delete': command(z.object(choice), z.null()),
  'choices.add': command(choiceProduct, ChoiceResponse),
  'choices.remove': command(choiceProduct, ChoiceResponse),
  /** Moves a product in one variant, or in all, before the other entries of a choice. */
  'choices.move-first': command(
    z.object({ ...choice, productId: z.int(), itemVariantId: z.int().optional() }),
    ChoiceResponse,
  ),
  'choices.products': query(z.object({ ...page, choiceId: z.int(), nameLanguage: NameLanguage }), ProductListResponse),

  'favorites.of-product': query(
    z.object({ ...page, productId: z.int(), itemId: z.int().optional() }),
    ProductFavoriteListResponse,
  ),
  'favorites.of-user': query(
    z.object({ ...page, userId: z.int(), nameLanguage: NameLanguage }),
    UserFavoriteListResponse,
  ),
  /**
   * Returns the stamps of a product, newest first, at most 100: `x` and `y` from 0 to 1, `rotation`
   * in degrees.
   */
  'favorites.stamps': query(
    z.object({ productId: z.int() }),
    z.object({
      totalCount: z.int(),
      stamps: z.array(z.object({ x: z.number(), y: z.number(), rotation: z.number(), count: z.int() })),
    }),
  ),
  /** Returns those of the products that are favorites of the viewer, also anonymous ones. */
  'favorites.own': query(
    z.object({ viewerId, productIds: z.array(z.int()).max(50) }),
    z.object({ productIds: z.array(z.int()) }),
  ),
  /** @param onlyFirst adds none if the viewer has a favorite of the product, as the pages do */
  'favorites.create': command(
    z.object({
      viewerId,
      productId: z.int(),
      anonymous: z.boolean(),
      count: z.int().min(1).max(100),
      onlyFirst: z.boolean().optional(),
      idempotency,
    }),
    FavoriteCreateResponse,
  ),
  'favorites.delete': command(z.object({ viewerId, productId: z.int() }), FavoriteDeleteResponse),
} as const satisfies MessageTable;
