import { type Redis } from 'ioredis';

/** A success of another event is evidence against an outage for so long. */
const evidenceMs = 60_000;
/** Postponements are a minute apart at the end, so an event has about an hour. */
const maxDoubts = 60;

// Only where the job still is: an operator may have removed it, and a hash of one field would stay for ever
const script = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('HINCRBY', KEYS[1], 'doubts', 1)`;

/**
 * Distinguishes an outage from an event that causes its own, such as a statement that always runs into its time limit. An event
 * that is postponed although another one of its name was consumed within the last minute is doubted once; the count
 * lives in its job, for all processes. After 60 doubts an outage counts as an attempt like any failure.
 */
export class Doubts {
  private readonly consumedAt = new Map<string, number>();

  constructor(private readonly redis: Redis) {}

  /** An event of this name was consumed. */
  consumed(name: string): void {
    this.consumedAt.set(name, performance.now());
  }

  /** @returns how often the job has been doubted, this time included; 0 when there is no evidence against an outage */
  async of(name: string, jobKey: string): Promise<number> {
    const at = this.consumedAt.get(name);
    if (at === undefined || performance.now() - at > evidenceMs) return 0;
    return (await this.redis.eval(script, 1, jobKey)) as number;
  }

  /** An operator may retry a job that failed for good; its doubts are cleared then. */
  async clear(jobKey: string): Promise<void> {
    await this.redis.hdel(jobKey, 'doubts');
  }

  static isPoison(doubts: number): boolean {
    return doubts > maxDoubts;
  }
}
