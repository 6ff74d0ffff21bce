import { type LoadResult, notSent } from './send-load.js';

/** Figures of one load step. Times in milliseconds, rates per second. */
export interface Figures {
  readonly offered: number;
  readonly served: number;
  readonly rejected: number;
  /** Other outcomes: error, no response, not sent. */
  readonly other: number;
  /** Part of `other`: the generator had no free connection. */
  readonly unsent: number;
  readonly servedP50: number;
  readonly servedP99: number;
  readonly rejectedP50: number;
  readonly rejectedP99: number;
  /** CPU cores that the generator used. */
  readonly generatorCpus: number;
}

const isServed = (outcome: number): boolean => outcome >= 200 && outcome < 300;
const isRejected = (outcome: number): boolean => outcome === 503;

/** Returns the percentile of values; 0 for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/**
 * Computes the figures of requests due between `from` and `to` in milliseconds. The rates `served`
 * and `rejected` count the responses in that interval instead.
 */
export function figuresOf({ dueAt, outcomes, tookMs, cpuMs }: LoadResult, from: number, to: number): Figures {
  const due = [...dueAt.keys()].filter((at) => dueAt[at]! >= from && dueAt[at]! < to);
  const times = (is: (outcome: number) => boolean): number[] =>
    due.filter((at) => is(outcomes[at]!)).map((at) => tookMs[at]!);
  const ended = (is: (outcome: number) => boolean): number =>
    [...dueAt.keys()].filter((at) => is(outcomes[at]!) && isWithin(dueAt[at]! + tookMs[at]!, from, to)).length;
  const [served, rejected] = [times(isServed), times(isRejected)];
  const rate = (count: number): number => (count * 1_000) / (to - from);
  return {
    offered: rate(due.length),
    served: rate(ended(isServed)),
    rejected: rate(ended(isRejected)),
    other: rate(due.length - served.length - rejected.length),
    unsent: rate(due.filter((at) => outcomes[at] === notSent).length),
    servedP50: percentile(served, 0.5),
    servedP99: percentile(served, 0.99),
    rejectedP50: percentile(rejected, 0.5),
    rejectedP99: percentile(rejected, 0.99),
    generatorCpus: cpuMs / ((dueAt.at(-1) ?? 0) - (dueAt[0] ?? 0)),
  };
}

const isWithin = (moment: number, from: number, to: number): boolean => moment >= from && moment < to;

const windowMs = 1_000;
const stepMs = 100;

/**
 * Returns the milliseconds from `since` to the first second in which all requests that are due are
 * served, 99 % of them within `usualMs`; Infinity if there is no such second.
 */
export function recoveryAfter({ dueAt, tookMs, outcomes }: LoadResult, since: number, usualMs: number): number {
  const last = dueAt.at(-1) ?? 0;
  for (let from = since; from + windowMs <= last; from += stepMs) {
    const within = [...dueAt.keys()].filter((at) => dueAt[at]! >= from && dueAt[at]! < from + windowMs);
    const times = within.map((at) => tookMs[at]!);
    if (within.every((at) => isServed(outcomes[at]!)) && percentile(times, 0.99) <= usualMs) return from - since;
  }
  return Infinity;
}
