import type { Figures } from './figures.js';
import type { StepResult } from './step.js';

export interface OverloadResult {
  /** Requests per second before all load steps. */
  readonly capacity: number;
  /** Requests per second after all load steps. */
  readonly afterwards: number;
  readonly steps: readonly StepResult[];
  /** Figures of a normal user: alone, beside a heavy user, and beside many image requests. */
  readonly normal: Readonly<Record<'alone' | 'withHeavyUser' | 'withImages', Figures>>;
}

const leastServedShare = 0.8;
const maxRejectionMs = 100;
const maxRecoveryMs = 5_000;
const maxNormalMs = 2_000;
/**
 * Largest ratio of the memory of an app to its memory at half of the capacity: heaps grow with
 * served requests, queues would grow with the load.
 */
const maxMemoryGrowth = 1.5;

/** Returns the limits under overload that were not met, as sentences; empty if all were met. */
export function shortfalls({ capacity, steps, normal }: OverloadResult): string[] {
  const found: string[] = [];
  for (const { factor, served, rejected, rejectedP99, recoveryMs, memory } of steps) {
    const expected = leastServedShare * Math.min(1, factor) * capacity;
    if (served < expected) found.push(`${factor} x: served ${Math.round(served)} of ${Math.round(expected)} a second`);
    if (rejected > 0 && rejectedP99 > maxRejectionMs)
      found.push(`${factor} x: p99 of a rejection ${Math.round(rejectedP99)} ms, more than ${maxRejectionMs}`);
    if (recoveryMs > maxRecoveryMs) found.push(`${factor} x: recovered only after ${Math.round(recoveryMs)} ms`);
    for (const [app, megabytes] of Object.entries(memory)) {
      const first = steps[0]!.memory[app];
      if (first !== undefined && megabytes > maxMemoryGrowth * first)
        found.push(`${factor} x: ${app} uses ${megabytes} MB, ${first} at the start`);
    }
  }
  return [...found, ...shortfallsOfVisitors(normal)];
}

/**
 * Returns the limits that were not met for visitors. @param visitors figures by the parallel load
 */
export function shortfallsOfVisitors(visitors: Readonly<Record<string, Figures>>): string[] {
  const found: string[] = [];
  // `served` is not compared: with few requests, a response after the end of the interval would
  // count as a shortfall
  for (const [beside, { offered, rejected, other, servedP99 }] of Object.entries(visitors)) {
    if (rejected + other > 0.05 * offered)
      found.push(`normal user ${beside}: ${rejected + other} of ${offered} a second were not served`);
    if (servedP99 > maxNormalMs) found.push(`normal user ${beside}: p99 ${Math.round(servedP99)} ms`);
  }
  return found;
}
