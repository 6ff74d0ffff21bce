import { type Redis } from 'ioredis';
import { withTimeout } from '#concurrency';
import { type EventEnvelope, type NoticeName } from '#contracts';
import { QueueKeys } from '../wire/keys.js';

const publishLimitMs = 3_000;

/**
 * Tells all processes that are up. `redis` is any connection to the Redis of the requests.
 *
 * @returns how many heard it
 * @throws when Redis does not confirm within three seconds; the notice may have been sent
 */
export async function publishNotice(redis: Redis, event: EventEnvelope<NoticeName>, keyPrefix = ''): Promise<number> {
  const channel = new QueueKeys(keyPrefix).notices(redis.options.db ?? 0);
  return withTimeout(redis.publish(channel, JSON.stringify(event)), publishLimitMs, () => {
    throw new Error('Redis did not confirm the notice');
  });
}
