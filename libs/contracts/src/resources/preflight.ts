import { z } from 'zod';
import { field } from '../field.js';
import { type PrintTechnique, printTechniques } from '../print-techniques.js';

/**
 * Findings of a preflight, the gravest first. A `warning` is a print that a customer may return; a
 * `note` is usually intended.
 */
export const preflightSeverities = {
  'fully-transparent': 'warning',
  'first-frame': 'warning',
  'low-resolution': 'warning',
  'cut-text': 'warning',
  cropped: 'warning',
  hidden: 'warning',
  'white-on-white': 'warning',
  'outside-safe-zone': 'note',
  'thin-lines': 'note',
  'out-of-gamut': 'note',
  translucent: 'note',
  'mostly-empty': 'note',
} as const;
export type PreflightCode = keyof typeof preflightSeverities;

export const preflightCodes = Object.keys(preflightSeverities) as PreflightCode[];
const techniques = Object.keys(printTechniques) as PrintTechnique[];

export const PreflightFinding = z.object({
  code: field(z.enum(preflightCodes), 'Stable code of the finding.', 'thin-lines'),
  severity: field(z.enum(['warning', 'note']), '`note`: often intended.', 'note'),
  value: field(z.number(), 'Measured value: dpi, mm² or a share from 0 to 1.', 12.4),
  limit: field(z.number(), 'Limit that the value is beyond.', 5),
  colors: z
    .array(z.string())
    .optional()
    .meta({ description: 'Names of the colors of the item on which the ink is not seen.', example: ['white'] }),
  message: field(
    z.string(),
    'Text of the finding in the language of the request.',
    '12.4 mm² of strokes on the front are thinner than 0.5 mm and may break.',
  ),
});
export type PreflightFinding = z.output<typeof PreflightFinding>;

export const PreflightPlace = z.object({
  place: field(z.string(), 'Print place.', 'front'),
  technique: field(z.enum(techniques), 'Printing technique.', 'direct-to-garment'),
  effectiveDpi: field(z.number(), 'Pixels of the artwork per printed inch.', 169.3),
  emptyShare: field(z.number(), 'Share of the print area without ink.', 0.62),
  outOfGamutShare: field(
    z.number().nullable(),
    'Share of the ink that is printed in another color. Null for places that are printed in RGB, whose profile only the printer knows.',
    null,
  ),
  findings: z.array(PreflightFinding).meta({ description: 'All findings, the gravest first.' }),
  warning: PreflightFinding.nullable().meta({
    description: 'The gravest finding that is a warning; null without one.',
  }),
});

/** Report of a product before it is sold. */
export const Preflight = z.object({
  productId: field(z.int(), 'Identifier of the product.', 1),
  places: z.array(PreflightPlace).meta({ description: 'All printed places of the product.' }),
  warnings: z
    .array(PreflightFinding.pick({ code: true, message: true }).extend({ place: PreflightPlace.shape.place }))
    .meta({ description: 'The warnings of all places, at most one for each.' }),
});
export type Preflight = z.output<typeof Preflight>;
