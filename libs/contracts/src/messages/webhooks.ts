import { z } from 'zod';
import { query, type MessageTable } from '../message.js';
import { EventType } from '../public-events.js';
import { Event } from '../resources/event.js';
import { EventListResponse } from '../responses.js';
import { healthMessages } from './health.js';

const viewerId = z.int();

export const webhooksMessages = {
  ...healthMessages,
  'events.list': query(
    z.object({ viewerId, after: z.string().optional(), types: z.array(EventType).optional(), limit: z.int() }),
    EventListResponse,
  ),
  // As events.list, with the cursor of each event
  'events.follow': query(
    z.object({ viewerId, after: z.string(), types: z.array(EventType).optional(), limit: z.int() }),
    z.object({
      events: z.array(z.object({ cursor: z.string(), event: Event })),
      hasNext: z.boolean(),
      cursor: z.string(),
    }),
  ),
  // Those of the users that have events after a cursor, and the end of the log
  'events.newest': query(
    z.object({ users: z.array(z.object({ userId: z.int(), after: z.string() })).max(1_000) }),
    z.object({ userIds: z.array(z.int()), cursor: z.string() }),
  ),
} as const satisfies MessageTable;
