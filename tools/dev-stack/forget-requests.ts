import { Redis } from 'ioredis';

/** Names of the request queue's lists (`QueueKeys`); no other key of a stack begins like this. */
const requestKeys = 'rq:*';

/** A file that has grown much is rewritten by Redis itself; the next start comes again. */
function busyIsFine(error: Error): void {
  if (!error.message.includes('already in progress')) throw error;
}

/**
 * Takes requests out of a Redis that writes to disk. They hold passwords and tokens in clear, and earlier stacks had
 * one Redis for everything: its append-only file remembers what was taken long ago, so it is written anew, in the
 * background.
 */
export async function forgetRequests(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
  // The refused command says it as well
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    for await (const keys of redis.scanStream({ match: requestKeys, count: 1_000 }) as AsyncIterable<string[]>) {
      if (keys.length > 0) await redis.unlink(...keys);
    }
    await redis.bgrewriteaof().catch(busyIsFine);
  } finally {
    redis.disconnect();
  }
}
