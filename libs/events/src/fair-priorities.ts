import type { Redis } from 'ioredis';
import type { EventJob } from './batch.js';

/** Maximum priority of BullMQ. */
const maxPriority = 2 ** 21;

/**
 * Start-time fair queueing with jobs of equal weight. The virtual time is the start tag of the next
 * job and never decreases. The start tag of a user's job is one more than that of the user's
 * previous job, and at least the virtual time. Users whose last start tag is below the virtual time
 * are deleted, so the set contains the users with jobs in the queue. When no job waits, the virtual
 * time is reset to 0. A job that is delayed for a retry has an older start tag and prevents the
 * reset until the virtual time exceeds half of the range.
 */
const script = `
local function key(name) return KEYS[1] .. ':' .. name end
local next = redis.call('ZRANGE', key('prioritized'), 0, 0, 'WITHSCORES')
local time = tonumber(redis.call('GET', key('virtual-time')) or '0')
if next[2] then
  time = math.max(time, math.floor(tonumber(next[2]) / 4294967296))
else
  local last = redis.call('ZRANGE', key('start-tags'), -1, -1, 'WITHSCORES')
  time = math.max(time, tonumber(last[2] or '0'))
  if redis.call('ZCARD', key('delayed')) == 0 or time > ${maxPriority / 2} then
    redis.call('DEL', key('start-tags'))
    time = 0
  end
end
redis.call('SET', key('virtual-time'), time)
redis.call('ZREMRANGEBYSCORE', key('start-tags'), '-inf', '(' .. time)
local tags = {}
for at = 1, #ARGV, 2 do
  local id, user = ARGV[at], ARGV[at + 1]
  local tag = 0
  if user ~= '' and redis.call('EXISTS', key(id)) == 0 then
    local before = tonumber(redis.call('ZSCORE', key('start-tags'), user) or '0')
    tag = math.min(math.max(time, before + 1), ${maxPriority})
    redis.call('ZADD', key('start-tags'), tag, user)
  end
  tags[#tags + 1] = tag
end
return tags`;

/**
 * Returns the priorities of jobs, in their order. Users alternate, so that many jobs of one user do
 * not delay the first job of another. Jobs without a user get 0, which comes before all others. A
 * job that is already in the queue gets no new start tag.
 *
 * @param queueKey prefix of all keys of the queue
 */
export async function fairPriorities(
  redis: Redis,
  queueKey: string,
  jobs: readonly EventJob[],
): Promise<readonly number[]> {
  const users = jobs.map(({ user }) => user);
  if (users.every((user) => user === undefined)) return users.map(() => 0);
  const idsAndUsers = jobs.flatMap(({ data }, n) => [data.id, users[n] ?? '']);
  return (await redis.eval(script, 1, queueKey, ...idsAndUsers)) as number[];
}
