import { z } from 'zod';
import { command, question, type MessageTable } from '../message.js';
import { ChoiceCreateBody, ChoiceProductBody, ChoiceUpdateBody } from '../requests.js';
import {
  ChoiceListResponse,
  ChoiceResponse,
  FavoriteCreateResponse,
  FavoriteDeleteResponse,
  FavoritesOfProductResponse,
  FavoritesOfUserResponse,
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
  'choices.list': question(
    z.object({ ...page, userId: z.int().optional(), userName: z.string().optional() }),
    ChoiceListResponse,
  ),
  'choices.get': question(z.object(choice), ChoiceResponse),
  'choices.create': command(ChoiceCreateBody.extend({ viewerId, idempotency }), ChoiceResponse),
  'choices.update': command(ChoiceUpdateBody.unwrap().extend(choice), ChoiceResponse),
  'choices.delete': command(z.object(choice), z.null()),
  'choices.add': command(choiceProduct, ChoiceResponse),
  'choices.remove': command(choiceProduct, ChoiceResponse),
  'choices.products': question(z.object({ ...page, choiceId: z.int() }), ProductListResponse),

  'favorites.of-product': question(
    z.object({ ...page, productId: z.int(), itemId: z.int().optional() }),
    FavoritesOfProductResponse,
  ),
  'favorites.of-user': question(z.object({ ...page, userId: z.int() }), FavoritesOfUserResponse),
  /** Where the stamps of a product lie, newest first, at most 100: `x` and `y` from 0 to 1, `rotation` in degrees. */
  'favorites.stamps': question(
    z.object({ productId: z.int() }),
    z.object({
      totalCount: z.int(),
      stamps: z.array(z.object({ x: z.number(), y: z.number(), rotation: z.number(), count: z.int() })),
    }),
  ),
  'favorites.create': command(
    z.object({
      viewerId,
      productId: z.int(),
      anonymous: z.boolean(),
      count: z.int().min(1).max(100),
      idempotency,
    }),
    FavoriteCreateResponse,
  ),
  'favorites.delete': command(z.object({ viewerId, productId: z.int() }), FavoriteDeleteResponse),
} as const satisfies MessageTable;
