import { type Redis } from 'ioredis';
import { withTimeout } from '#concurrency';

/**
 * States of a job that are counted. After a failed attempt a job is delayed, then waits again.
 * Waiting jobs of a paused queue are paused.
 */
export const queueStates = ['waiting', 'paused', 'active', 'delayed', 'failed'] as const;

type QueueState = (typeof queueStates)[number];

interface QueueStats {
  readonly jobs: Readonly<Record<QueueState, number>>;
  /** Age of the oldest of the next jobs; 0 when none waits. */
  readonly oldestSeconds: number;
}

const timeoutMs = 1_000;
/** Several metrics share one read. */
const cacheMs = 500;

/**
 * Number of prioritized jobs that are inspected. More than one, because the next job may be the
 * newest, of a user without earlier jobs.
 */
const inspectedJobs = 20;

/**
 * Reads the lists and sets of BullMQ with one command: keys are built in the script. The next job
 * is at the end of the list `wait` or `paused`. Jobs with a priority wait in the set `prioritized`
 * and come after that list.
 */
const script = `
local function key(name) return KEYS[1] .. ':' .. name end
local ids = redis.call('ZRANGE', key('prioritized'), 0, ${inspectedJobs - 1})
local first = redis.call('LINDEX', key('wait'), -1) or redis.call('LINDEX', key('paused'), -1)
if first then ids[#ids + 1] = first end
local since = false
for _, id in ipairs(ids) do
  local timestamp = redis.call('HGET', key(id), 'timestamp')
  if timestamp and (not since or tonumber(timestamp) < tonumber(since)) then since = timestamp end
end
return {
  redis.call('LLEN', key('wait')) + redis.call('ZCARD', key('prioritized')), redis.call('LLEN', key('paused')),
  redis.call('LLEN', key('active')), redis.call('ZCARD', key('delayed')), redis.call('ZCARD', key('failed')),
  since
}`;

/** Reads the number and age of a subscriber's jobs for metrics, at most twice a second. */
export class QueueStatsReader {
  private last: { readonly at: number; readonly stats: Promise<QueueStats | undefined> } | undefined;

  /** @param queueKey prefix of all keys of the queue */
  constructor(
    private readonly redis: Redis,
    private readonly queueKey: string,
  ) {}

  /** Returns undefined while Redis does not respond. */
  read(): Promise<QueueStats | undefined> {
    const now = performance.now();
    if (!this.last || now - this.last.at > cacheMs) this.last = { at: now, stats: this.query().catch(() => undefined) };
    return this.last.stats;
  }

  private async query(): Promise<QueueStats | undefined> {
    // The connection of a worker queues commands while it is disconnected
    if (this.redis.status !== 'ready') return undefined;
    const reply = this.redis.eval(script, 1, this.queueKey) as Promise<
      [number, number, number, number, number, string | null]
    >;
    const result = await withTimeout(reply, timeoutMs, () => undefined);
    if (!result) return undefined;
    const [waiting, paused, active, delayed, failed, since] = result;
    const oldestSeconds = since === null ? 0 : Math.max(0, (Date.now() - Number(since)) / 1_000);
    return { jobs: { waiting, paused, active, delayed, failed }, oldestSeconds };
  }
}
