import { z } from 'zod';
import { dateTime, field } from '../field.js';
import { User } from './user.js';

/** Kind of occurrence to its action: the closed set of what is told to a user. */
export const activityKinds = {
  favorite: 'provide',
  sale: 'provide',
  material: 'render',
} as const satisfies Record<string, string>;
export type ActivityKind = keyof typeof activityKinds;

export const Activity = z.object({
  id: field(
    z.string().regex(/^[0-9a-f]{32}$/),
    'activity id, 32 hexadecimal digits',
    '335104feaace0fe03d3348994486eaec',
  ),
  message: field(z.string(), 'what happened, for people', 'hanako likes your Lighthouse スタンダードTシャツ.'),
  timeago: field(z.string(), 'how long ago, for people', '2 hours ago'),
  eventType: field(z.enum(Object.keys(activityKinds) as ActivityKind[]), 'kind of occurrence', 'favorite'),
  eventAction: field(z.enum(['provide', 'render']), 'kind of action', 'provide'),
  createdAt: field(dateTime, 'when it happened', '2026-11-20 09:00:00 +0000'),
  sender: User.meta({ description: 'who caused it' }),
  receiver: User.meta({ description: 'who is told of it' }),
  event: field(z.null(), 'always null', null),
});
export type Activity = z.output<typeof Activity>;
