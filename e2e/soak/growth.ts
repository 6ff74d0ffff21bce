import type { Measurement, ProcessSample, Sample } from './sample.js';

/** Tolerated relative growth of memory. */
const maxRssGrowth = 0.05;

type BeforeAndAfter = readonly [before: number, after: number];

/** Measurements of a process after the warm-up and at the end. */
export interface ProcessComparison {
  readonly name: string;
  /** Resident memory in bytes under load: medians after the warm-up and before the end. */
  readonly underLoad: BeforeAndAfter;
  /** Resident memory in bytes at rest; `handles`, `sockets` and `threads` are also at rest. */
  readonly rss: BeforeAndAfter;
  readonly handles: BeforeAndAfter;
  readonly sockets: BeforeAndAfter;
  readonly threads: BeforeAndAfter;
  /** Number of restarts. */
  readonly restarts: number;
}

/**
 * Measurements of a run: samples under load, and two rests to compare. The memory of a JavaScript
 * process rises for minutes, until the next garbage collection, and connections depend on the load.
 * At rest and after full garbage collections, the memory in use is retained memory.
 */
export interface SoakResult {
  readonly samples: readonly Sample[];
  readonly rests: readonly [before: Measurement, after: Measurement];
  /** Minutes from the start to the end of the first of the two rests. */
  readonly warmMinutes: number;
}

export const growthOf = ([before, after]: BeforeAndAfter): number => after / before - 1;

export const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

/**
 * Returns the samples of up to five minutes after the warm-up, and of the same time before the end.
 */
export function windowsOf({ samples, warmMinutes }: SoakResult): readonly [before: Sample[], after: Sample[]] {
  const end = samples.at(-1)!.minutes;
  const width = Math.min(5, (end - warmMinutes) / 2);
  return [
    samples.filter(({ minutes }) => minutes > warmMinutes && minutes <= warmMinutes + width),
    samples.filter(({ minutes }) => minutes >= end - width),
  ];
}

/** Returns the measurements of each process after the warm-up and at the end. */
export function compareProcesses(soaked: SoakResult): ProcessComparison[] {
  const { samples, rests } = soaked;
  const [early, late] = windowsOf(soaked);
  return Object.keys(rests[0].processes).map((name) => {
    const atRest = (figure: keyof ProcessSample): BeforeAndAfter => [
      rests[0].processes[name]![figure],
      rests[1].processes[name]![figure],
    ];
    const median = (window: readonly Sample[]) => medianOf(window.map(({ processes }) => processes[name]!.rss));
    return {
      name,
      underLoad: [median(early), median(late)],
      rss: atRest('rss'),
      handles: atRest('handles'),
      sockets: atRest('sockets'),
      threads: atRest('threads'),
      restarts: new Set(samples.map(({ processes }) => processes[name]!.pid)).size - 1,
    };
  });
}

/** Returns findings about a process as sentences. */
export function findingsFor({ name, rss, underLoad, handles, restarts }: ProcessComparison): string[] {
  const findings: string[] = [];
  for (const [when, growth] of Object.entries({ 'at rest': growthOf(rss), 'under load': growthOf(underLoad) }))
    if (growth > maxRssGrowth) findings.push(`${name}: resident memory ${when} grew by ${(100 * growth).toFixed(1)} %`);
  if (handles[1] > handles[0]) findings.push(`${name}: open handles grew from ${handles[0]} to ${handles[1]}`);
  if (restarts > 0) findings.push(`${name}: restarted ${restarts} times`);
  return findings;
}
