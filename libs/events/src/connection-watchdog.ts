import { type Redis } from 'ioredis';

const checkIntervalMs = 1_000;
/** Consecutive checks without received bytes before the connection is destroyed. */
const maxSilentChecks = 4;

/**
 * Watchdog of a connection: pings Redis each second and destroys the socket after four checks
 * without received data, also during the handshake. ioredis then reconnects and resends the
 * commands without a reply. TCP reports a connection that is dead on one side only after a quarter
 * of an hour, and BullMQ's commands have no timeout.
 *
 * Counts checks instead of time: after the event loop was blocked, replies that have arrived are
 * read first.
 *
 * @returns a function that stops the watchdog
 */
export function startConnectionWatchdog(redis: Redis): () => void {
  let stream: Redis['stream'] | undefined;
  let receivedBytes = 0;
  let silentChecks = 0;
  const check = (): void => {
    const isOpen = redis.status === 'connect' || redis.status === 'ready';
    if (!isOpen || redis.stream !== stream || redis.stream.bytesRead !== receivedBytes) silentChecks = 0;
    else silentChecks += 1;
    if (!isOpen) return;
    stream = redis.stream;
    receivedBytes = stream.bytesRead;
    if (silentChecks >= maxSilentChecks) stream.destroy();
    else if (redis.status === 'ready') redis.ping().catch(() => undefined);
  };
  const timer = setInterval(check, checkIntervalMs).unref();
  return () => clearInterval(timer);
}
