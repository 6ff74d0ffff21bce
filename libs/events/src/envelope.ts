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

/**
 * Error for an event or event version that only a newer version of the service can consume.
 */
export class UnknownEventVersion extends Error {
  override readonly name = 'UnknownEventVersion';
}

/** Returns paths and messages, never values. */
const problemsOf = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`).join('; ');

/**
 * Parses the event of a job and validates it against its definition.
 *
 * @throws UnknownEventVersion for an unknown event or a newer version of an event
 * @throws PermanentFailure for an invalid event or an older version, because a retry cannot succeed
 */
export function readEnvelope(data: unknown): EventEnvelope {
  const outer = envelope.safeParse(data);
  if (!outer.success) throw new PermanentFailure(`not an event (${problemsOf(outer.error)})`);
  const { name, version } = outer.data;
  if (!Object.hasOwn(events, name)) throw new UnknownEventVersion(`event ${name} is unknown`);
  const definition = events[name as EventName];
  const versions = `${name} has version ${version}, supported is ${definition.version}`;
  if (version > definition.version) throw new UnknownEventVersion(versions);
  if (version < definition.version) throw new PermanentFailure(versions);
  const payload = definition.payload.safeParse(outer.data.payload);
  if (!payload.success) throw new PermanentFailure(`${name} has an invalid payload (${problemsOf(payload.error)})`);
  return { ...outer.data, name: name as EventName, payload: payload.data };
}
