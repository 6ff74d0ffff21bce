import { type Redis } from 'ioredis';

/** Maximum age of another event's success that counts as evidence against an outage. */
const evidenceMs = 60_000;
/** Postponements reach one minute each, so an event is retried for about an hour. */
const maxSuspicions = 60;

// Only for an existing job: an operator may have removed it, and HINCRBY would create a hash that
// never expires
const script = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('HINCRBY', KEYS[1], 'suspicions', 1)`;

/**
 * Poison message detector: distinguishes an outage from an event whose consumer always fails like
 * in an outage, such as by a statement timeout. A postponed event is suspicious when this process
 * consumed another event of its name within the last minute. The suspicions are counted in the job,
 * for all processes. After 60 suspicions an outage counts as an attempt like any failure.
 */
export class PoisonDetector {
  private readonly consumedAt = new Map<string, number>();

  constructor(private readonly redis: Redis) {}

  /** Records that an event of this name was consumed. */
  consumed(name: string): void {
    this.consumedAt.set(name, performance.now());
  }

  /**
   * Counts a suspicion.
   *
   * @returns the suspicions of the job; 0 without evidence against an outage or without the job
   */
  async suspect(name: string, jobKey: string): Promise<number> {
    const at = this.consumedAt.get(name);
    if (at === undefined || performance.now() - at > evidenceMs) return 0;
    return (await this.redis.eval(script, 1, jobKey)) as number;
  }

  /** Resets the count of a job that has failed permanently, because an operator may retry it. */
  async clear(jobKey: string): Promise<void> {
    await this.redis.hdel(jobKey, 'suspicions');
  }

  static isPoison(suspicions: number): boolean {
    return suspicions > maxSuspicions;
  }
}
