import { z } from 'zod';
import { query } from '../message.js';

/** Maximum number of cached replies in one `replies.validate`. */
export const maxValidatedReplies = 1_000;

/** Messages of a service whose replies may be cached by callers. */
export const validationMessages = {
  /**
   * Returns for each cached reply whether it may be sent to a viewer: the service would reply the
   * same now. `validity` is the header of the reply. Every commit of materials, products and users
   * before the message is considered, one of items and sales once the service has its event.
   */
  'replies.validate': query(
    z.object({
      replies: z
        .array(z.object({ validity: z.string().max(300), viewerId: z.int().nullable() }))
        .max(maxValidatedReplies),
    }),
    z.object({ valid: z.array(z.boolean()) }),
    1_000,
  ),
};
