import { z } from 'zod';
import { Language } from '../language.js';
import { command, query, type MessageTable } from '../message.js';
import { Activity } from '../resources/activity.js';
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
  /**
   * Returns the subjects of activities of the viewer, for links of pages: materials and webhook
   * endpoints, and the products of favorites and sales. The subject may have been deleted.
   */
  'activities.subjects': query(
    z.object({ viewerId: z.int(), activityIds: z.array(Activity.shape.id).max(30) }),
    z.object({
      subjects: z.array(
        z.object({ activityId: z.string(), kind: z.enum(['material', 'webhook']), id: z.int().positive() }),
      ),
      // Missing in replies of the previous version
      products: z.array(z.object({ activityId: z.string(), productId: z.int().positive() })).optional(),
    }),
  ),
  'activities.unreads': query(z.object({ viewerId: z.int() }), UnreadCountResponse),
} as const satisfies MessageTable;
