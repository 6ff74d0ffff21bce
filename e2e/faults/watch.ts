import type { Ending, Load } from '../load/load.js';
import { isFailure } from '../load/tallies.js';
import { kinds } from './kinds.js';

/** Sums up the tallies of one run. */
export class Watch {
  requests = 0;
  acknowledgedWrites = 0;
  readonly failures = new Map<Ending, number>();
  struckAt = Infinity;
  /** Of each kind, from the strike to its first success; infinite until then. */
  readonly successMs: number[] = kinds.map(() => Infinity);
  /** Since the strike; 0 when nothing has failed since. */
  lastFailureMs = 0;
  private lapSince = performance.now();

  constructor(private readonly load: Load) {
    load.lap();
  }

  /** The fault strikes now. */
  strike(): void {
    this.lap();
    this.struckAt = this.lapSince;
  }

  /** From now on. */
  expectSuccess(): void {
    kinds.forEach((kind, index) => void this.load.firstSuccess(kind).then((ms) => (this.successMs[index] = ms)));
  }

  /** @returns the failures since the lap before */
  lap(): number {
    const { lapSince, struckAt } = this;
    this.lapSince = performance.now();
    const { requests, acknowledgedWrites, endings, lastFailureMs } = this.load.lap();
    this.requests += requests;
    this.acknowledgedWrites += acknowledgedWrites;
    let failed = 0;
    for (const [ending, count] of endings) {
      if (!isFailure(ending)) continue;
      failed += count;
      this.failures.set(ending, (this.failures.get(ending) ?? 0) + count);
    }
    if (failed > 0 && lapSince >= struckAt) this.lastFailureMs = lapSince + lastFailureMs - struckAt;
    return failed;
  }
}
