import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { type Event, publicEvents, type PublicEventType } from '#contracts';

const exampleOf = (field: z.ZodType): unknown => (field.meta()?.examples as readonly unknown[])[0];

/** Returns a new event with the example data of its type. */
export function exampleEvent(type: PublicEventType): Event {
  const fields = Object.entries<z.ZodType>(publicEvents[type].data.shape);
  const data = Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field)]));
  return { id: randomUUID(), type, timestamp: new Date().toISOString(), userId: 1, sequence: 1, data };
}
