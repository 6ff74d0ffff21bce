import { type Lane } from '#contracts';
import { type QueueConnection } from '../connection/connection.js';
import { type QueueKeys } from '../wire/keys.js';

/** -1 when no replica serves the list; else how many of the frames, from the first, found room. */
const script = `
local limit = redis.call('GET', KEYS[2])
if not limit then return -1 end
local n, room = #ARGV, tonumber(limit) - redis.call('LLEN', KEYS[1])
if room < n then n = room end
if n <= 0 then return 0 end
redis.call('RPUSH', KEYS[1], unpack(ARGV, 1, n))
return n`;

interface WithPush {
  boundedPush(queue: string, live: string, ...frames: Buffer[]): Promise<number>;
}

/** Teaches a connection the script; ioredis sends its text once for each connection and its hash from then on. */
export function prepareBoundedPush(connection: QueueConnection): void {
  connection.redis.defineCommand('boundedPush', { numberOfKeys: 2, lua: script });
}

/**
 * Appends to a list of a service as many frames as its queue limit allows, in one command.
 *
 * @returns the number of frames appended, or `unserved` when no replica serves the lane
 * @throws as `QueueConnection.run`
 */
export async function boundedPush(
  connection: QueueConnection,
  keys: QueueKeys,
  { service, lane }: { readonly service: string; readonly lane: Lane },
  frames: readonly Buffer[],
): Promise<number | 'unserved'> {
  const pushed = await connection.run((redis) =>
    (redis as unknown as WithPush).boundedPush(keys.requests(service, lane), keys.live(service, lane), ...frames),
  );
  return pushed < 0 ? 'unserved' : pushed;
}
