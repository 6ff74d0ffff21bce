import { type Contender, type Sample, type Samples } from './rounds.js';

/** Target CPU time of an image. */
export type Aim =
  | { readonly timesFloor: number }
  | { readonly cpuMs: number }
  /** Minimum ratio of ImageMagick's CPU time to ours. */
  | { readonly imageMagick: number };

export interface Verdict {
  readonly aim: string;
  readonly value: number;
  readonly reached: boolean;
}

/** Returns the median. @throws RangeError for an empty list */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('median of an empty list');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the cost of a contender; undefined if it did not run. */
export function cost(samples: Samples, contender: Contender): Sample | undefined {
  const all = samples[contender];
  if (!all) return undefined;
  return { cpuMs: median(all.map(({ cpuMs }) => cpuMs)), wallMs: median(all.map(({ wallMs }) => wallMs)) };
}

/**
 * Returns the ratio of CPU times: the median of the ratios of all rounds, because disturbances of a
 * round affect both. It may differ from the ratio of the medians.
 */
export function ratio(samples: Samples, dividend: Contender, divisor: Contender): number | undefined {
  const [all, others] = [samples[dividend], samples[divisor]];
  if (!all || !others) return undefined;
  return median(all.map(({ cpuMs }, round) => cpuMs / others[round]!.cpuMs));
}

/** Compares samples with a target; undefined if a contender did not run. */
export function judge(samples: Samples, aim: Aim): Verdict | undefined {
  if ('cpuMs' in aim) return atMost(cost(samples, 'ours')?.cpuMs, aim.cpuMs, 'CPU ms');
  if ('timesFloor' in aim) return atMost(ratio(samples, 'ours', 'floor'), aim.timesFloor, 'x floor');
  const value = ratio(samples, 'ImageMagick', 'ours');
  return value === undefined
    ? undefined
    : { aim: `ImageMagick >= ${aim.imageMagick} x`, value, reached: value >= aim.imageMagick };
}

const atMost = (value: number | undefined, limit: number, unit: string): Verdict | undefined =>
  value === undefined ? undefined : { aim: `<= ${limit} ${unit}`, value, reached: value <= limit };

/** Returns the growth per step: slope of the least-squares line. */
export function slope(values: readonly number[]): number {
  const [middle, mean] = [(values.length - 1) / 2, values.reduce((sum, value) => sum + value, 0) / values.length];
  let [rise, run] = [0, 0];
  for (const [i, value] of values.entries()) {
    rise += (i - middle) * (value - mean);
    run += (i - middle) ** 2;
  }
  return run === 0 ? 0 : rise / run;
}
