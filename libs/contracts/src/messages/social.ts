import { z } from 'zod';
import { command, type MessageTable } from '../message.js';
import { FavoriteCreateResponse } from '../responses.js';
import { healthMessages } from './health.js';

export const socialMessages = {
  ...healthMessages,
  'favorites.create': command(
    z.object({ viewerId: z.int(), productId: z.int(), anonymous: z.boolean(), count: z.int().min(1).max(100) }),
    FavoriteCreateResponse,
  ),
} as const satisfies MessageTable;
