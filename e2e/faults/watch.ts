import type { Outcome, Load } from '../load/load.js';
import { isFailure } from '../load/tallies.js';
import { kinds } from './kinds.js';

/** Aggregates the tallies of one run. */
export class Watch {
  requests = 0;
  acknowledgedWrites = 0;
  readonly failures = new Map<Outcome, number>();
  faultAt = Infinity;
  /** Milliseconds from the fault to the first success by kind; Infinity until then. */
  readonly successMs: number[] = kinds.map(() => Infinity);
  /** Milliseconds from the fault to the last failure; 0 without one. */
  lastFailureMs = 0;
  private tallySince = performance.now();

  constructor(private readonly load: Load) {
    load.lap();
  }

  /** Records the time of the fault. */
  markFault(): void {
    this.addTally();
    this.faultAt = this.tallySince;
  }

  /** Records the time of the first success of each kind from now on. */
  expectSuccess(): void {
    kinds.forEach((kind, index) => void this.load.firstSuccess(kind).then((ms) => (this.successMs[index] = ms)));
  }

  /** Adds the tally since the last call. Returns its failures. */
  addTally(): number {
    const { tallySince, faultAt } = this;
    this.tallySince = performance.now();
    const { requests, acknowledgedWrites, outcomes, lastFailureMs } = this.load.lap();
    this.requests += requests;
    this.acknowledgedWrites += acknowledgedWrites;
    let failed = 0;
    for (const [outcome, count] of outcomes) {
      if (!isFailure(outcome)) continue;
      failed += count;
      this.failures.set(outcome, (this.failures.get(outcome) ?? 0) + count);
    }
    if (failed > 0 && tallySince >= faultAt) this.lastFailureMs = tallySince + lastFailureMs - faultAt;
    return failed;
  }
}
