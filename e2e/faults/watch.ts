import type { Outcome, Load } from '../load/load.js';
import { isFailure } from '../load/tallies.js';
import { requestKinds } from './kinds.js';

/** Requests of one run: their number, failures, and times relative to the fault. */
export class Watch {
  requests = 0;
  acknowledgedWrites = 0;
  readonly failures = new Map<Outcome, number>();
  faultAt = Infinity;
  /** Milliseconds from the fault to the first success by kind; Infinity until then. */
  readonly successMs: number[] = requestKinds.map(() => Infinity);
  /** Milliseconds from the fault to the last failure; 0 without one. */
  lastFailureMs = 0;
  private tallySince = performance.now();

  constructor(private readonly load: Load) {
    load.lap();
  }

  /** Records that the fault is injected now. */
  markFault(): void {
    this.addTally();
    this.faultAt = this.tallySince;
  }

  /** Waits in the background for a success of each kind, among requests sent from now on. */
  expectSuccess(): void {
    requestKinds.forEach((kind, index) => void this.load.firstSuccess(kind).then((ms) => (this.successMs[index] = ms)));
  }

  /** Adds the requests since the previous call. Returns the number of failed ones. */
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
