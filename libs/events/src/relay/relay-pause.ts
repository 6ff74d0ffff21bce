import { type EventName, isBatched } from '#contracts';
import { subscribersOf } from '../publisher.js';

/**
 * Pause after a round as a multiple of its duration, so that the events written during the pause
 * are published together: a round costs as much as several events. Slower rounds make larger
 * batches.
 */
const pauseFactor = 4;
const maxPauseMs = 100;

/**
 * Returns the pause after a round in milliseconds. If all subscribers receive each event in
 * batches, the pause has its maximum: with one caller, a favorite costs 0.6 times as much. A
 * broadcast, or an event that a subscriber receives singly, does not extend the pause, because the
 * next one may follow soon: the image of a material would be drawn up to 100 ms later.
 *
 * @param names of the events of the last claim of the round; empty if it found none
 */
export function pauseAfterRound(roundMs: number, names: readonly string[]): number {
  const areBatches = names.length > 0 && names.every(isBatchedForAll);
  return areBatches ? maxPauseMs : Math.min(pauseFactor * roundMs, maxPauseMs);
}

const isBatchedForAll = (name: string): boolean =>
  subscribersOf(name)?.every((subscriber) => subscriber !== 'everyone' && isBatched(subscriber, name as EventName)) ??
  false;
