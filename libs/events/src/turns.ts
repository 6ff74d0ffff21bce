import type { Redis } from 'ioredis';
import { userOfTurn } from '#contracts';
import type { EventJob } from './batch.js';

/** The largest priority that BullMQ takes. */
const lastTurn = 2 ** 21;

/**
 * Start-time fair queueing with jobs of equal weight. The clock is the turn of the job that is next, and goes only forward;
 * a user's job comes one turn after the user's job before, and never before the clock. Users whose last turn the clock has
 * passed are deleted, so the set contains the users with jobs in the queue. When nothing waits, counting starts over; a job
 * that waits for its next attempt has an older turn and prevents that up to half of the range.
 */
const script = `
local function key(name) return KEYS[1] .. ':' .. name end
local next = redis.call('ZRANGE', key('prioritized'), 0, 0, 'WITHSCORES')
local clock = tonumber(redis.call('GET', key('turn-clock')) or '0')
if next[2] then
  clock = math.max(clock, math.floor(tonumber(next[2]) / 4294967296))
else
  local last = redis.call('ZRANGE', key('turns'), -1, -1, 'WITHSCORES')
  clock = math.max(clock, tonumber(last[2] or '0'))
  if redis.call('ZCARD', key('delayed')) == 0 or clock > ${lastTurn / 2} then
    redis.call('DEL', key('turns'))
    clock = 0
  end
end
redis.call('SET', key('turn-clock'), clock)
redis.call('ZREMRANGEBYSCORE', key('turns'), '-inf', '(' .. clock)
local turns = {}
for at = 1, #ARGV, 2 do
  local id, user = ARGV[at], ARGV[at + 1]
  local turn = 0
  if user ~= '' and redis.call('EXISTS', key(id)) == 0 then
    local before = tonumber(redis.call('ZSCORE', key('turns'), user) or '0')
    turn = math.min(math.max(clock, before + 1), ${lastTurn})
    redis.call('ZADD', key('turns'), turn, user)
  end
  turns[#turns + 1] = turn
end
return turns`;

/** Undefined for a batch: events that travel together take no turns. */
const userOf = ({ data }: EventJob): number | undefined => (data.name === 'batch' ? undefined : userOfTurn(data));

/**
 * Returns the priorities of jobs, in their order: users take turns, so that many jobs of one do not delay the first job of
 * another. 0, which comes before all turns, for jobs that take none. A job that is known already uses up no turn.
 *
 * @param queueKey begins every key of the queue
 */
export async function turnsOf(redis: Redis, queueKey: string, jobs: readonly EventJob[]): Promise<readonly number[]> {
  const users = jobs.map(userOf);
  if (users.every((user) => user === undefined)) return users.map(() => 0);
  const given = jobs.flatMap(({ data }, n) => [data.id, users[n] ?? '']);
  return (await redis.eval(script, 1, queueKey, ...given)) as number[];
}
