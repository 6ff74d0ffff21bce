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

/**
 * Returns the value below which a quarter of the values are: the cost without disturbances. Threads
 * that share a core slow each other down, so samples of the same work have two modes, the second of
 * 1.7 times the first, and a median lies in either of them.
 *
 * @throws RangeError for an empty list
 */
export function lowerQuartile(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('quartile of an empty list');
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)]!;
}

/** Returns the cost of a contender; undefined if it did not run. */
export function cost(samples: Samples, contender: Contender): Sample | undefined {
  const all = samples[contender];
  if (!all) return undefined;
  return {
    cpuMs: lowerQuartile(all.map(({ cpuMs }) => cpuMs)),
    wallMs: lowerQuartile(all.map(({ wallMs }) => wallMs)),
  };
}

/** Returns the ratio of CPU times; undefined if a contender did not run. */
export function ratio(samples: Samples, dividend: Contender, divisor: Contender): number | undefined {
  const [one, other] = [cost(samples, dividend), cost(samples, divisor)];
  return one && other && one.cpuMs / other.cpuMs;
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
