import { type Redis } from 'ioredis';
import { withTimeout } from '#concurrency';

/**
 * The states of a job that are counted. One that was tried in vain is delayed, then waits again; what waits in a queue that
 * somebody has stopped is paused.
 */
export const queueStates = ['waiting', 'paused', 'active', 'delayed', 'failed'] as const;

type QueueState = (typeof queueStates)[number];

interface QueueFacts {
  readonly jobs: Readonly<Record<QueueState, number>>;
  /** Of the oldest of the next jobs; 0 when none waits. */
  readonly oldestSeconds: number;
}

const lookWithinMs = 1_000;
/** Several metrics are made of one look. */
const keptMs = 500;

/** Number of prioritized jobs that are inspected: the next one may be the newest, of a user without earlier jobs. */
const inspectedJobs = 20;

/**
 * The lists and sets of BullMQ. The next job is at the end of its list; jobs with a priority wait in a set of their own,
 * behind that list. Keys are made in the script, so that a look is one command.
 */
const script = `
local function of(name) return KEYS[1] .. ':' .. name end
local ids = redis.call('ZRANGE', of('prioritized'), 0, ${inspectedJobs - 1})
local first = redis.call('LINDEX', of('wait'), -1) or redis.call('LINDEX', of('paused'), -1)
if first then ids[#ids + 1] = first end
local since = false
for _, id in ipairs(ids) do
  local timestamp = redis.call('HGET', of(id), 'timestamp')
  if timestamp and (not since or tonumber(timestamp) < tonumber(since)) then since = timestamp end
end
return {
  redis.call('LLEN', of('wait')) + redis.call('ZCARD', of('prioritized')), redis.call('LLEN', of('paused')),
  redis.call('LLEN', of('active')), redis.call('ZCARD', of('delayed')), redis.call('ZCARD', of('failed')),
  since
}`;

/** Looks into the queue of a subscriber when somebody wants to see what waits there. */
export class QueueLook {
  private last: { readonly at: number; readonly facts: Promise<QueueFacts | undefined> } | undefined;

  /** @param queueKey begins every key of the queue */
  constructor(
    private readonly redis: Redis,
    private readonly queueKey: string,
  ) {}

  /** Undefined while Redis does not answer. */
  facts(): Promise<QueueFacts | undefined> {
    const now = performance.now();
    if (!this.last || now - this.last.at > keptMs) this.last = { at: now, facts: this.look().catch(() => undefined) };
    return this.last.facts;
  }

  private async look(): Promise<QueueFacts | undefined> {
    // A worker's connection keeps commands for later while it is away
    if (this.redis.status !== 'ready') return undefined;
    const answer = this.redis.eval(script, 1, this.queueKey) as Promise<
      [number, number, number, number, number, string | null]
    >;
    const found = await withTimeout(answer, lookWithinMs, () => undefined);
    if (!found) return undefined;
    const [waiting, paused, active, delayed, failed, since] = found;
    const oldestSeconds = since === null ? 0 : Math.max(0, (Date.now() - Number(since)) / 1_000);
    return { jobs: { waiting, paused, active, delayed, failed }, oldestSeconds };
  }
}
