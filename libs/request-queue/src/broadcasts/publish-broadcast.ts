import { type Redis } from 'ioredis';
import { withTimeout } from '#concurrency';
import { type EventEnvelope, type BroadcastName } from '#contracts';
import { QueueKeys } from '../wire/keys.js';

const publishTimeoutMs = 3_000;

/**
 * Publishes an event to all current subscribers.
 *
 * @param redis any connection to the requests Redis
 * @returns the number of subscribers that received it
 * @throws Error when Redis does not confirm within three seconds, or errors of ioredis; the event
 *   may have been published
 */
export async function publishBroadcast(
  redis: Redis,
  event: EventEnvelope<BroadcastName>,
  keyPrefix = '',
): Promise<number> {
  const channel = new QueueKeys(keyPrefix).broadcasts(redis.options.db ?? 0);
  return withTimeout(redis.publish(channel, JSON.stringify(event)), publishTimeoutMs, () => {
    throw new Error('Redis did not confirm the broadcast');
  });
}
