import type { Figures } from './figures.js';
import type { Facts } from './step.js';

export interface Measured {
  /** Requests a second, before all offers. */
  readonly capacity: number;
  /** The same after them. */
  readonly afterwards: number;
  readonly steps: readonly Facts[];
  /** A user who asks for little. */
  readonly quiet: Readonly<Record<'alone' | 'besideLoudOne' | 'besideImages', Figures>>;
}

const leastServedShare = 0.8;
const mostRefusalMs = 100;
const mostBackMs = 5_000;
const mostQuietMs = 2_000;
/** Of what a process held at half of the capacity: heaps grow with the work, queues would with the offer. */
const mostMemoryGrowth = 1.5;

/** What the service promises under too much load and did not keep, in sentences; empty when it kept all. */
export function shortfalls({ capacity, steps, quiet }: Measured): string[] {
  const found: string[] = [];
  for (const { factor, served, refused, refusedP99, backMs, memory } of steps) {
    const expected = leastServedShare * Math.min(1, factor) * capacity;
    if (served < expected) found.push(`${factor} x: served ${Math.round(served)} of ${Math.round(expected)} a second`);
    if (refused > 0 && refusedP99 > mostRefusalMs)
      found.push(`${factor} x: p99 of a refusal ${Math.round(refusedP99)} ms, more than ${mostRefusalMs}`);
    if (backMs > mostBackMs) found.push(`${factor} x: as usual only after ${Math.round(backMs)} ms`);
    for (const [app, megabytes] of Object.entries(memory)) {
      const first = steps[0]!.memory[app];
      if (first !== undefined && megabytes > mostMemoryGrowth * first)
        found.push(`${factor} x: ${app} holds ${megabytes} MB, ${first} at first`);
    }
  }
  return [...found, ...shortfallsOfVisitors(quiet)];
}

/** The same of the visitors, by the load beside them. */
export function shortfallsOfVisitors(visitors: Readonly<Record<string, Figures>>): string[] {
  const found: string[] = [];
  // Not what was served within the time: of few requests the last ones may be a good part
  for (const [beside, { offered, refused, other, servedP99 }] of Object.entries(visitors)) {
    if (refused + other > 0.05 * offered)
      found.push(`a quiet user ${beside}: ${refused + other} of ${offered} a second were not served`);
    if (servedP99 > mostQuietMs) found.push(`a quiet user ${beside}: p99 ${Math.round(servedP99)} ms`);
  }
  return found;
}
