import { type Lane } from '#contracts';
import { type QueueConnection } from '../connection/connection.js';
import { type QueueKeys } from '../wire/keys.js';

/**
 * Pushes the first frames, as many as fit. Returns their number, or -1 when no replica serves the
 * list.
 */
const script = `
local limit = redis.call('GET', KEYS[2])
if not limit then return -1 end
local n, capacity = #ARGV, tonumber(limit) - redis.call('LLEN', KEYS[1])
if capacity < n then n = capacity end
if n <= 0 then return 0 end
redis.call('RPUSH', KEYS[1], unpack(ARGV, 1, n))
return n`;

interface BoundedPushCommands {
  boundedPush(queue: string, live: string, ...frames: Buffer[]): Promise<number>;
}

/**
 * Defines the script on a connection: ioredis sends its text once per connection, then its hash.
 */
export function defineBoundedPush(connection: QueueConnection): void {
  connection.redis.defineCommand('boundedPush', { numberOfKeys: 2, lua: script });
}

/**
 * Appends as many frames to a list of a service as its queue limit allows, in one command.
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
    (redis as unknown as BoundedPushCommands).boundedPush(
      keys.requests(service, lane),
      keys.live(service, lane),
      ...frames,
    ),
  );
  return pushed < 0 ? 'unserved' : pushed;
}
