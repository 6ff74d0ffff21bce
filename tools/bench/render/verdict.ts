import { type Contender, type Sample, type Samples } from './rounds.js';

/** What an image may cost in processor time. */
export type Aim =
  | { readonly timesFloor: number }
  | { readonly cpuMs: number }
  /** How many times as much ImageMagick has to take, at least. */
  | { readonly imageMagick: number };

export interface Verdict {
  readonly aim: string;
  readonly value: number;
  readonly reached: boolean;
}

/** @throws RangeError for none */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('there is no median of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** What a contender takes; undefined when it did not run. */
export function cost(samples: Samples, contender: Contender): Sample | undefined {
  const all = samples[contender];
  if (!all) return undefined;
  return { cpuMs: median(all.map(({ cpuMs }) => cpuMs)), wallMs: median(all.map(({ wallMs }) => wallMs)) };
}

/**
 * How many times as much processor time one takes as the other: the median over the rounds of the ratio in a round,
 * because what disturbs a round disturbs both. Not always the ratio of the medians.
 */
export function ratio(samples: Samples, dividend: Contender, divisor: Contender): number | undefined {
  const [all, others] = [samples[dividend], samples[divisor]];
  if (!all || !others) return undefined;
  return median(all.map(({ cpuMs }, round) => cpuMs / others[round]!.cpuMs));
}

/** Undefined when a contender that the aim is about did not run. */
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

/** By how much values grow from one to the next: the slope of the straight line that fits them best. */
export function slope(values: readonly number[]): number {
  const [middle, mean] = [(values.length - 1) / 2, values.reduce((sum, value) => sum + value, 0) / values.length];
  let [rise, run] = [0, 0];
  for (const [i, value] of values.entries()) {
    rise += (i - middle) * (value - mean);
    run += (i - middle) ** 2;
  }
  return run === 0 ? 0 : rise / run;
}
