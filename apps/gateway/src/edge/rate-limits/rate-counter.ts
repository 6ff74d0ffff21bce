import { BatchPerTick, type Deferred, deferred } from '#concurrency';
import type { QueueConnection } from '#request-queue';

/**
 * Timeout of Redis commands; the connection adds 250 ms. Requests are still counted if Redis stalls
 * for a second, as on a busy machine. Without a connection, a command fails immediately.
 */
const redisTimeoutMs = 2_000;

/**
 * Counts a request of each key, whose window starts with its first request. With a period of 0 it
 * only reads the count. Returns count and remaining milliseconds of each key. The milliseconds are
 * negative without a window.
 */
const script = `
local counts = {}
for at, key in ipairs(KEYS) do
  local seconds = tonumber(ARGV[at])
  local count = seconds > 0 and redis.call('INCRBY', key, 1) or tonumber(redis.call('GET', key) or '0')
  local left = redis.call('PTTL', key)
  if seconds > 0 and left < 0 then
    redis.call('EXPIRE', key, seconds)
    left = 1000 * seconds
  end
  counts[2 * at - 1] = count
  counts[2 * at] = left
end
return counts`;

/** Count of a window. */
export interface Count {
  readonly requests: number;
  /** Remaining time of the window in milliseconds. */
  readonly leftMs: number;
}

interface Access {
  readonly key: string;
  /** 0 to read the count. */
  readonly periodSeconds: number;
  readonly count: Deferred<Count>;
}

type Script = (keys: number, ...keysAndPeriods: (string | number)[]) => Promise<number[]>;

/**
 * Counters of requests in Redis, with a window for each key. All accesses of one tick are one
 * command: each command by itself costs the gateway a system call, and wakes Redis.
 */
export class RateCounter {
  private readonly run: Script;
  private readonly batches = new BatchPerTick<Access>((_, batch) => void this.access(batch));

  constructor(private readonly connection: QueueConnection) {
    const { redis } = connection;
    redis.defineCommand('countRequests', { lua: script });
    this.run = (redis as unknown as { readonly countRequests: Script }).countRequests.bind(redis);
  }

  /** Counts a request. @throws as `QueueConnection.run` */
  increment(key: string, periodSeconds: number): Promise<Count> {
    return this.add(key, periodSeconds);
  }

  /** Returns the count of the window; undefined without one. @throws as `QueueConnection.run` */
  async read(key: string): Promise<Count | undefined> {
    const count = await this.add(key, 0);
    return count.leftMs < 0 ? undefined : count;
  }

  private add(key: string, periodSeconds: number): Promise<Count> {
    const count = deferred<Count>();
    this.batches.add('', { key, periodSeconds, count });
    return count.promise;
  }

  private async access(batch: readonly Access[]): Promise<void> {
    try {
      const keys = batch.map(({ key }) => key);
      const periods = batch.map(({ periodSeconds }) => periodSeconds);
      const counts = await this.connection.run(() => this.run(batch.length, ...keys, ...periods), redisTimeoutMs);
      for (const [at, { count }] of batch.entries())
        count.resolve({ requests: counts[2 * at]!, leftMs: counts[2 * at + 1]! });
    } catch (error) {
      for (const { count } of batch) count.reject(error);
    }
  }
}
