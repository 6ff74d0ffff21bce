import { isDeepStrictEqual } from 'node:util';
import {
  effectiveResizeMode,
  problems,
  type Placement,
  type PlacementInput,
  type ResizeMode,
  type StoredPlacement,
} from '#contracts';
import { completePlacement, placeArtwork, placementErrors, rangeErrors, type PlacementError } from '#placement';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { type Artwork } from './product.rules.js';
import { type ValidationErrors } from './validation-errors.rules.js';

/** Placement of a request. */
export interface WantedPlacement {
  /** Returns the JSON path of a field in the body, for errors. */
  readonly pathOf: (field: keyof Placement) => string;
  readonly placement: Placement;
}

/** Print place of an item, and the image on it. */
interface PrintTarget {
  readonly item: CatalogItem;
  readonly place: string;
  readonly resizeMode: ResizeMode | null;
  /** Undefined for an image of a version that did not store its size. */
  readonly artwork: Artwork | undefined;
}

function addErrors(
  pathOf: WantedPlacement['pathOf'],
  found: readonly PlacementError[],
  errors: ValidationErrors,
): void {
  for (const { field, message } of found) errors.add(problems['placement.invalid'], pathOf(field), message);
}

/**
 * Returns the placement of a request with its defaults. Null without one, or with an error for each
 * wrong number.
 */
export function wantedPlacement(
  path: string,
  given: PlacementInput | null | undefined,
  errors: ValidationErrors,
): WantedPlacement | null {
  if (!given) return null;
  const placement = completePlacement(given);
  const aliases: Partial<Record<keyof Placement, string>> = {
    ...(given.x === undefined && given.offsetX !== undefined && { x: 'offsetX' }),
    ...(given.y === undefined && given.offsetY !== undefined && { y: 'offsetY' }),
  };
  const pathOf = (field: keyof Placement): string => `${path}.${aliases[field] ?? field}`;
  const found = rangeErrors(placement);
  addErrors(pathOf, found, errors);
  return found.length > 0 ? null : { pathOf, placement };
}

/**
 * Returns the placement with the matrix that the image is printed with, and adds an error if it
 * cannot be printed.
 */
export function storedPlacement(
  wanted: WantedPlacement | null,
  { item, place, resizeMode, artwork }: PrintTarget,
  errors: ValidationErrors,
): StoredPlacement | null {
  const area = item.printAreas[place]?.millimetres;
  // An unknown place is an error of its own
  if (wanted === null || area === undefined) return null;
  const { pathOf, placement } = wanted;
  if (artwork === undefined) {
    errors.add(problems['placement.invalid'], pathOf('scale'), 'needs the size of the image, which is not stored');
    return null;
  }
  const target = { artwork, area, mode: effectiveResizeMode(item, resizeMode) };
  const found = placementErrors(placement, target);
  addErrors(pathOf, found, errors);
  return found.length > 0 ? null : { ...placement, ...placeArtwork(target, placement) };
}

/** Change of a print: `given` is undefined when the request does not name its placement. */
interface PlacementChange extends PrintTarget {
  readonly path: string;
  /** Path of the resize mode, which is wrong if the stored placement does not allow it. */
  readonly resizeModePath: string;
  readonly given: PlacementInput | null | undefined;
  readonly stored: StoredPlacement | null;
  /** True if the resize mode has changed, on which the matrix depends. */
  readonly isRefitted: boolean;
}

/** Returns the placement after a change; the stored object if it stays the same. */
export function changedPlacement(
  { path, resizeModePath, given, stored, isRefitted, ...target }: PlacementChange,
  errors: ValidationErrors,
): StoredPlacement | null {
  if (given === undefined && !isRefitted) return stored;
  const current = stored && { pathOf: () => resizeModePath, placement: placementOf(stored) };
  const wanted = given === undefined ? current : wantedPlacement(path, given, errors);
  const placed = storedPlacement(wanted, target, errors);
  return isDeepStrictEqual(placed, stored) ? stored : placed;
}

/** Returns the fields of the API. */
export const placementOf = ({ scale, x, y, rotation, repeat, spacing }: StoredPlacement): Placement => ({
  scale,
  x,
  y,
  rotation,
  repeat,
  spacing,
});
