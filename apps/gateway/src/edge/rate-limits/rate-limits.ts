import { type LimitedOperationName, type OperationName, operations, type RateLimit } from '#contracts';

type LimitOverrides = Readonly<Partial<Record<LimitedOperationName, RateLimit>>>;

const defaults: ReadonlyMap<string, RateLimit> = new Map(
  Object.entries(operations).flatMap(([name, it]) => ('rateLimit' in it ? [[name, it.rateLimit] as const] : [])),
);

/** Rate limits: the defaults of `contracts` with the operator's overrides. */
export class RateLimits {
  constructor(private readonly overrides: LimitOverrides = {}) {}

  /** Returns the effective limit; undefined for an operation without one. */
  of(operation: OperationName): RateLimit | undefined {
    return this.overrides[operation as LimitedOperationName] ?? defaults.get(operation);
  }
}

/** Maximum of count and period, so that counter and end time are safe integers in Redis. */
const maximum = 1_000_000_000;

/**
 * Reads `materials.create=500/900,favorites.create=1000/60`: operation=count/seconds.
 *
 * @returns limits with the valid overrides, and messages about invalid ones
 */
export function readRateLimits(text: string): { limits: RateLimits; problems: string[] } {
  const overrides: Partial<Record<LimitedOperationName, RateLimit>> = {};
  const problems: string[] = [];
  for (const entry of text.split(',').map((it) => it.trim())) {
    if (entry === '') continue;
    const [, name = '', limit, periodSeconds] = /^([\w.-]+)=([1-9]\d*)\/([1-9]\d*)$/.exec(entry) ?? [];
    if (name === '') problems.push('must look like materials.create=500/900,favorites.create=1000/60');
    else if (!defaults.has(name)) problems.push(`must name operations of ${[...defaults.keys()].join(', ')}`);
    else if (name in overrides) problems.push(`names ${name} twice`);
    else if (Number(limit) > maximum || Number(periodSeconds) > maximum)
      problems.push(`must have numbers up to ${maximum}`);
    else overrides[name as LimitedOperationName] = { limit: Number(limit), periodSeconds: Number(periodSeconds) };
  }
  return { limits: new RateLimits(overrides), problems };
}
