import { type Redis } from 'ioredis';

const lookEveryMs = 1_000;
/** Looks in a row at which nothing has arrived before the link is given up. */
const silentLooks = 4;

/**
 * Keeps asking a connection for a sign of life and ends it when none comes, also while it is being made: a link that is
 * dead on one side only is not told by TCP for a quarter of an hour, and what BullMQ sends has no time limit. ioredis
 * then connects anew and sends again what had no answer.
 *
 * Looks are counted and not time: after a process stood still, the answers that wait for it are read before it judges.
 *
 * @returns what ends the watch
 */
export function watchLink(redis: Redis): () => void {
  let stream: Redis['stream'] | undefined;
  let heard = 0;
  let silent = 0;
  const look = (): void => {
    const isOpen = redis.status === 'connect' || redis.status === 'ready';
    if (!isOpen || redis.stream !== stream || redis.stream.bytesRead !== heard) silent = 0;
    else silent += 1;
    if (!isOpen) return;
    stream = redis.stream;
    heard = stream.bytesRead;
    if (silent >= silentLooks) stream.destroy();
    else if (redis.status === 'ready') redis.ping().catch(() => undefined);
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return () => clearInterval(timer);
}
