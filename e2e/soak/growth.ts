import type { Moment, ProcessSample, Sample } from './sample.js';

/** What grew no more than this did not grow. */
const mostRssGrowth = 0.05;

type BeforeAndAfter = readonly [before: number, after: number];

/** A process after the warm-up and at the end. */
export interface Growth {
  readonly name: string;
  /** Bytes: medians of the load right after the warm-up and right before the end. */
  readonly underLoad: BeforeAndAfter;
  /** Bytes, while the load rests. */
  readonly rss: BeforeAndAfter;
  readonly handles: BeforeAndAfter;
  readonly sockets: BeforeAndAfter;
  readonly threads: BeforeAndAfter;
  /** How often another process had to take its place. */
  readonly restarts: number;
}

/**
 * What was seen. The memory of a JavaScript process is a saw whose teeth may be minutes long: it climbs until the next
 * collection, and a sample under load says more of the tooth than of the process. Connections of pools and clients come
 * and go with the load as well. So two moments of rest are compared, after a full collection: what is held then is held.
 */
export interface Soaked {
  readonly samples: readonly Sample[];
  readonly rests: readonly [before: Moment, after: Moment];
  /** When the load went on after the first rest. */
  readonly warmMinutes: number;
}

export const growthOf = ([before, after]: BeforeAndAfter): number => after / before - 1;

export const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

/** The samples of up to five minutes after the warm-up, and of as many before the end. */
export function windowsOf({ samples, warmMinutes }: Soaked): readonly [before: Sample[], after: Sample[]] {
  const end = samples.at(-1)!.minutes;
  const width = Math.min(5, (end - warmMinutes) / 2);
  return [
    samples.filter(({ minutes }) => minutes > warmMinutes && minutes <= warmMinutes + width),
    samples.filter(({ minutes }) => minutes >= end - width),
  ];
}

/** How each process has grown. */
export function growthsOf(soaked: Soaked): Growth[] {
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

/** What is wrong with a process, in words; empty when nothing is. */
export function complaintsAbout({ name, rss, underLoad, handles, restarts }: Growth): string[] {
  const complaints: string[] = [];
  for (const [when, growth] of Object.entries({ 'at rest': growthOf(rss), 'under load': growthOf(underLoad) }))
    if (growth > mostRssGrowth)
      complaints.push(`${name}: resident memory ${when} grew by ${(100 * growth).toFixed(1)} %`);
  if (handles[1] > handles[0]) complaints.push(`${name}: open handles grew from ${handles[0]} to ${handles[1]}`);
  if (restarts > 0) complaints.push(`${name}: another process took its place ${restarts} times`);
  return complaints;
}
