import { z } from 'zod';
import { dateTime, field } from '../field.js';
import { User } from './user.js';

/** Action of each kind of activity. The set of kinds is closed. */
export const activityKinds = {
  favorite: 'provide',
  sale: 'provide',
  material: 'render',
  webhook: 'disable',
} as const satisfies Record<string, string>;
export type ActivityKind = keyof typeof activityKinds;

export const Activity = z.object({
  id: field(
    z.string().regex(/^[0-9a-f]{32}$/),
    'Unique identifier, 32 hexadecimal digits.',
    '335104feaace0fe03d3348994486eaec',
  ),
  message: field(
    z.string(),
    'Text of the activity in the language of the request.',
    'hanako likes your Lighthouse スタンダードTシャツ.',
  ),
  timeago: field(z.string(), 'Relative time in the language of the request.', '2 hours ago'),
  eventType: field(z.enum(Object.keys(activityKinds) as ActivityKind[]), 'Type of the event.', 'favorite'),
  eventAction: field(z.enum(['provide', 'render', 'disable']), 'Action of the event.', 'provide'),
  createdAt: field(dateTime, 'Time of the event.', '2026-11-20 09:00:00 +0000'),
  sender: User.meta({ description: 'User who caused the event.' }),
  receiver: User.meta({ description: 'User who is notified.' }),
  event: field(z.null(), 'Always null.', null),
});
export type Activity = z.output<typeof Activity>;
