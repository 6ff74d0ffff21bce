import { z } from 'zod';
import { Language } from '../language.js';
import { command, question, type MessageTable } from '../message.js';
import { ActivityListResponse, UnreadsResponse } from '../responses.js';
import { healthMessages } from './health.js';

export const activityMessages = {
  ...healthMessages,
  /** Marks what it answers as read, hence not a question. */
  'activities.list': command(
    z.object({ viewerId: z.int(), limit: z.int(), language: Language }),
    ActivityListResponse,
    5_000,
  ),
  'activities.unreads': question(z.object({ viewerId: z.int() }), UnreadsResponse),
} as const satisfies MessageTable;
