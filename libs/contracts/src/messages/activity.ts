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
   * Returns the subjects that the viewer can manage of those of the activities that have one, for
   * links of pages. The subject may have been deleted.
   */
  'activities.subjects': query(
    z.object({ viewerId: z.int(), activityIds: z.array(Activity.shape.id).max(30) }),
    z.object({
      subjects: z.array(
        z.object({ activityId: z.string(), kind: z.enum(['material', 'webhook']), id: z.int().positive() }),
      ),
    }),
  ),
  'activities.unreads': query(z.object({ viewerId: z.int() }), UnreadCountResponse),
} as const satisfies MessageTable;
