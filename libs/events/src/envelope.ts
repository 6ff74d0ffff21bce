import { z } from 'zod';
import { type EventEnvelope, type EventName, events } from '#contracts';
import { PermanentFailure } from './delivery.js';

const envelope = z.object({
  id: z.uuid(),
  name: z.string(),
  version: z.int(),
  occurredAt: z.iso.datetime(),
  payload: z.unknown(),
  metadata: z.record(z.string(), z.string()),
});

/** Nothing is wrong with the event: a newer version of this program knows what to do about it. */
export class NotKnownYet extends Error {
  override readonly name = 'NotKnownYet';
}

/** Paths and reasons, never values. */
const problemsOf = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`).join('; ');

/**
 * The event inside a job, checked against its definition. What does not fit now does not fit later either.
 *
 * @throws NotKnownYet for an event, or a version of one, that this process does not know
 * @throws PermanentFailure
 */
export function readEnvelope(data: unknown): EventEnvelope {
  const outer = envelope.safeParse(data);
  if (!outer.success) throw new PermanentFailure(`not an event (${problemsOf(outer.error)})`);
  const { name, version } = outer.data;
  if (!Object.hasOwn(events, name)) throw new NotKnownYet(`there is no event ${name}`);
  const definition = events[name as EventName];
  const versions = `${name} has version ${version}, known is ${definition.version}`;
  if (version > definition.version) throw new NotKnownYet(versions);
  if (version < definition.version) throw new PermanentFailure(versions);
  const payload = definition.payload.safeParse(outer.data.payload);
  if (!payload.success) throw new PermanentFailure(`${name} has a wrong payload (${problemsOf(payload.error)})`);
  return { ...outer.data, name: name as EventName, payload: payload.data };
}
