import { type Matrix, type PlacedArtwork, type Placement, type PlacementInput, type ResizeMode } from '#contracts';
import { fit, type Size } from './fit.js';

/** Artwork and print area that a placement refers to. */
export interface PlacementTarget {
  /** Size of the artwork; only the ratio matters. */
  readonly artwork: Size;
  /** Size of the print area in millimetres. */
  readonly area: Size;
  readonly mode: ResizeMode;
}

const unplaced: Placement = { scale: 1, x: 0, y: 0, rotation: 0, repeat: 'none', spacing: 0 };

/** Returns a placement with the defaults of omitted fields. Other values than numbers are NaN. */
export function completePlacement({ offsetX, offsetY, repeat, ...given }: PlacementInput): Placement {
  const withAliases = {
    ...given,
    x: given.x === undefined ? offsetX : given.x,
    y: given.y === undefined ? offsetY : given.y,
  };
  const number = (field: keyof typeof withAliases): number => {
    const value = withAliases[field];
    if (value === undefined) return unplaced[field];
    return typeof value === 'number' ? value : NaN;
  };
  return {
    scale: number('scale'),
    x: number('x'),
    y: number('y'),
    rotation: number('rotation'),
    repeat: repeat ?? unplaced.repeat,
    spacing: number('spacing'),
  };
}

/**
 * Returns the artwork at its place. Without a placement it is centred as fitted by the mode.
 *
 * @param placement must have no `placementErrors`
 */
export function placeArtwork({ artwork, area, mode }: PlacementTarget, placement: Placement = unplaced): PlacedArtwork {
  const { scale, x, y, rotation, repeat, spacing } = placement;
  const fitted = fit(artwork.width / artwork.height, area.width / area.height, mode);
  const width = scale * fitted.width * area.width;
  const height = scale * fitted.height * area.height;
  const { cos, sin } = direction(rotation);
  // `0 -` instead of a sign: JSON has no -0, so a stored matrix would differ from a computed one
  const [a, b, c, d] = [cos * width, sin * width, 0 - sin * height, cos * height];
  const [centreX, centreY] = [area.width * (0.5 + x), area.height * (0.5 + y)];
  const matrix: Matrix = [a, b, c, d, centreX - (a + c) / 2, centreY - (b + d) / 2];
  return { matrix, repeat, period: { x: 1 + spacing / width, y: 1 + spacing / height } };
}

/** Returns cosine and sine of an angle in degrees, exact for multiples of 90. */
function direction(degrees: number): { readonly cos: number; readonly sin: number } {
  const quarters = degrees / 90;
  if (Number.isInteger(quarters)) {
    const quarter = ((quarters % 4) + 4) % 4;
    return { cos: [1, 0, -1, 0][quarter]!, sin: [0, 1, 0, -1][quarter]! };
  }
  const radians = (degrees * Math.PI) / 180;
  return { cos: Math.cos(radians), sin: Math.sin(radians) };
}
