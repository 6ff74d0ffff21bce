import { z } from 'zod';
import { query, type MessageTable } from '../message.js';
import { EventType } from '../public-events.js';
import { EventListResponse } from '../responses.js';
import { healthMessages } from './health.js';

const viewerId = z.int();

export const webhooksMessages = {
  ...healthMessages,
  'events.list': query(
    z.object({ viewerId, after: z.string().optional(), types: z.array(EventType).optional(), limit: z.int() }),
    EventListResponse,
  ),
} as const satisfies MessageTable;
