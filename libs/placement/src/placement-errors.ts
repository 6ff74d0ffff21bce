import { type Placement } from '#contracts';
import { inkArea, isInArea } from './coverage.js';
import { placeArtwork, type PlacementTarget } from './placement.js';

/** Allowed values of the numbers of a placement, both ends included. */
const placementRanges = {
  scale: { from: 0.01, to: 100 },
  x: { from: -100, to: 100 },
  y: { from: -100, to: 100 },
  rotation: { from: -360, to: 360 },
  spacing: { from: 0, to: 1_000 },
} as const satisfies Partial<Record<keyof Placement, { readonly from: number; readonly to: number }>>;

/**
 * Maximum number of repeats in a print area. Print files draw each repeat, and smaller ones would
 * be dots.
 */
const maxRepeats = 10_000;

export interface PlacementError {
  readonly field: keyof Placement;
  readonly message: string;
}

/** Returns the fields outside their range. Non-finite numbers are outside of every range. */
export function rangeErrors(placement: Placement): PlacementError[] {
  return (Object.keys(placementRanges) as (keyof typeof placementRanges)[]).flatMap((field) => {
    const { from, to } = placementRanges[field];
    const isInside = placement[field] >= from && placement[field] <= to;
    return isInside ? [] : [{ field, message: `must be a number from ${from} to ${to}` }];
  });
}

/**
 * Returns the reasons why an artwork cannot be printed with a placement: a number outside its
 * range, too many repeats, or no part of the artwork or its repeats inside the print area.
 */
export function placementErrors(placement: Placement, target: PlacementTarget): PlacementError[] {
  const errors = rangeErrors(placement);
  if (errors.length > 0) return errors;
  const placed = placeArtwork(target, placement);
  const { matrix, repeat, period } = placed;
  const { area } = target;
  if (repeat === 'none') {
    if (isInArea(placed, area)) return [];
    const isInsideWithoutX = inkArea(placeArtwork(target, { ...placement, x: 0 }), area) > 0;
    return [{ field: isInsideWithoutX ? 'x' : 'y', message: 'moves the whole artwork out of the print area' }];
  }
  const [a, b, c, d] = matrix;
  const repeats = (area.width * area.height) / (Math.abs(a * d - b * c) * period.x * period.y);
  if (repeats > maxRepeats) {
    const least = 'at most 10,000 repeats fit into a print area';
    return [{ field: 'scale', message: `is too small: ${least}` }];
  }
  return isInArea(placed, area) ? [] : [{ field: 'spacing', message: 'leaves no repeat in the print area' }];
}
