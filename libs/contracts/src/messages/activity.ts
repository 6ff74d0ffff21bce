import { z } from 'zod';
import { Language } from '../language.js';
import { command, query, type MessageTable } from '../message.js';
import { ActivityListResponse, UnreadCountResponse } from '../responses.js';
import { healthMessages } from './health.js';

export const activityMessages = {
  ...healthMessages,
  /** A command, because it marks the returned activities as read. */
  'activities.list': command(
    z.object({ viewerId: z.int(), limit: z.int(), language: Language }),
    ActivityListResponse,
    5_000,
  ),
  'activities.unreads': query(z.object({ viewerId: z.int() }), UnreadCountResponse),
} as const satisfies MessageTable;
