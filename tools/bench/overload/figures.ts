import { type Asked, notSent } from './offer.js';

/** How one offer was met. Times in milliseconds, rates per second. */
export interface Figures {
  readonly offered: number;
  readonly served: number;
  readonly refused: number;
  /** Any other end: an error, no answer, not sent. */
  readonly other: number;
  /** Of `other`: the generator had no connection for them. */
  readonly unsent: number;
  readonly servedP50: number;
  readonly servedP99: number;
  readonly refusedP50: number;
  readonly refusedP99: number;
  /** Processors that the generator used of those that the servers might have had. */
  readonly generatorCpus: number;
}

const isServed = (ending: number): boolean => ending >= 200 && ending < 300;
const isRefused = (ending: number): boolean => ending === 503;

/** The value that so many of the sorted ones do not exceed; 0 of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** Of that which was due between two moments, in milliseconds; served and refused is what was so within that time. */
export function figuresOf({ dueAt, endings, tookMs, cpuMs }: Asked, from: number, to: number): Figures {
  const due = [...dueAt.keys()].filter((at) => dueAt[at]! >= from && dueAt[at]! < to);
  const times = (is: (ending: number) => boolean): number[] =>
    due.filter((at) => is(endings[at]!)).map((at) => tookMs[at]!);
  const ended = (is: (ending: number) => boolean): number =>
    [...dueAt.keys()].filter((at) => is(endings[at]!) && isWithin(dueAt[at]! + tookMs[at]!, from, to)).length;
  const [served, refused] = [times(isServed), times(isRefused)];
  const rate = (count: number): number => (count * 1_000) / (to - from);
  return {
    offered: rate(due.length),
    served: rate(ended(isServed)),
    refused: rate(ended(isRefused)),
    other: rate(due.length - served.length - refused.length),
    unsent: rate(due.filter((at) => endings[at] === notSent).length),
    servedP50: percentile(served, 0.5),
    servedP99: percentile(served, 0.99),
    refusedP50: percentile(refused, 0.5),
    refusedP99: percentile(refused, 0.99),
    generatorCpus: cpuMs / ((dueAt.at(-1) ?? 0) - (dueAt[0] ?? 0)),
  };
}

const isWithin = (moment: number, from: number, to: number): boolean => moment >= from && moment < to;

const windowMs = 1_000;
const stepMs = 100;

/**
 * When it was as usual again: how long after a moment everything that was due in a second was served, 99 of 100 within
 * the usual time. In milliseconds.
 *
 * @returns Infinity when that was never so
 */
export function normalAfter({ dueAt, tookMs, endings }: Asked, since: number, usualMs: number): number {
  const last = dueAt.at(-1) ?? 0;
  for (let from = since; from + windowMs <= last; from += stepMs) {
    const within = [...dueAt.keys()].filter((at) => dueAt[at]! >= from && dueAt[at]! < from + windowMs);
    const times = within.map((at) => tookMs[at]!);
    if (within.every((at) => isServed(endings[at]!)) && percentile(times, 0.99) <= usualMs) return from - since;
  }
  return Infinity;
}
