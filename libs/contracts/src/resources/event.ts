import { z } from 'zod';
import { field, rfc3339 } from '../field.js';
import { EventType } from '../public-events.js';

export const Event = z.object({
  id: field(z.uuid(), 'Unique identifier, the same in every delivery.', '0191e7c1-9c1c-4f0e-8a57-2f9a1d6f4d11'),
  type: field(EventType, 'Type of the event.', 'material.updated'),
  timestamp: field(rfc3339, 'Time of the event, UTC.', '2026-11-20T09:00:00.000Z'),
  userId: field(z.int(), 'Identifier of the user whose event it is: to whom it concerns, not who caused it.', 1),
  sequence: field(
    z.int(),
    'Number of the event among the events of its resource (material, product, favorite or choice), from 1 without gaps. Of two events of a resource the one with the higher number is newer.',
    3,
  ),
  data: field(z.record(z.string(), z.unknown()), 'Identifiers, and what has changed. The fields depend on the type.', {
    materialId: 1,
    changed: ['title'],
  }),
});
export type Event = z.output<typeof Event>;
