import { z } from 'zod';
import { field } from '../field.js';

const repeats = ['none', 'grid', 'half-drop', 'mirror'] as const;
const Repeat = z.enum(repeats, { error: 'must be none, grid, half-drop or mirror' });

const number = z.number({ error: 'must be a number' });

const placementFields = {
  scale: field(number, 'Size of the artwork; 1 = as fitted by `resizeMode`.', 0.5),
  x: field(number, "Shift of the artwork's centre to the right, in widths of the print area.", 0),
  y: field(number, "Shift of the artwork's centre down, in heights of the print area.", -0.1),
  rotation: field(number, "Rotation around the artwork's centre, in degrees clockwise.", 15),
  repeat: field(
    Repeat,
    '`none` prints the artwork once. `grid`, `half-drop` (every second column is shifted by half a repeat) and `mirror` (neighbours are mirrored) fill the print area with it.',
    'none',
  ),
  spacing: field(number, 'Distance between repeats in millimetres.', 0),
};

/** Position of an artwork in its print area. */
export const Placement = z.object(placementFields);
export type Placement = z.output<typeof Placement>;

/** Number of a request. The catalog checks type and range, so that each wrong value is a 422. */
const anyNumber = z.unknown().meta({ type: 'number' });

/** Position in a request, see `placementErrors` of libs/placement. */
export const PlacementInput = z
  .object({
    scale: field(anyNumber, 'Size of the artwork, 0.01 to 100; 1 = as fitted by `resizeMode`.', 0.5),
    x: field(anyNumber, "Shift of the artwork's centre to the right, in widths of the print area.", 0),
    y: field(anyNumber, "Shift of the artwork's centre down, in heights of the print area.", -0.1),
    offsetX: field(anyNumber, 'Alias of `x`, which has precedence.', 0),
    offsetY: field(anyNumber, 'Alias of `y`, which has precedence.', -0.1),
    rotation: field(anyNumber, "Rotation around the artwork's centre, -360 to 360 degrees clockwise.", 15),
    repeat: placementFields.repeat.optional(),
    spacing: field(anyNumber, 'Distance between repeats, 0 to 1,000 millimetres.', 0),
  })
  .partial();
export type PlacementInput = z.output<typeof PlacementInput>;

/**
 * Artwork in a print area, in the form that images and print files are rendered from.
 *
 * `matrix` = `[a, b, c, d, e, f]` maps a point (X, Y) of the artwork, whose edges are 0 and 1, to
 * millimetres from the top left corner of the print area: x = aX + cY + e, y = bX + dY + f. This is
 * the order of SVG and PDF.
 *
 * `period` is the distance of repeats along X and Y, at least 1; meaningless without a repeat.
 */
export const PlacedArtwork = z.object({
  matrix: z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()]),
  repeat: Repeat,
  period: z.object({ x: z.number(), y: z.number() }),
});
export type PlacedArtwork = z.output<typeof PlacedArtwork>;
export type Matrix = PlacedArtwork['matrix'];

/** Position as stored with a product: the request, and what follows from it. */
export const StoredPlacement = Placement.extend(PlacedArtwork.shape);
export type StoredPlacement = z.output<typeof StoredPlacement>;
