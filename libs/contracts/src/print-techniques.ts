/** What a technique needs of an artwork. */
interface TechniqueNeeds {
  /** Resolution below which a print looks blurred at its usual distance. */
  readonly minDpi: number;
  /** Width in millimetres below which a stroke breaks or disappears. */
  readonly minStroke: number;
}

/**
 * Printing techniques. The dots of 150 dpi are one arc minute, the limit of the eye, at 60 cm, from
 * which clothes are seen, and those of 200 dpi at 43 cm, at which things in the hand are seen.
 */
export const printTechniques = {
  // Ink spreads in the fibres, and no drop covers the gaps of a knit
  'direct-to-garment': { minDpi: 150, minStroke: 0.5 },
  // Dye diffuses as a gas, on mugs as on cloth
  sublimation: { minDpi: 150, minStroke: 0.5 },
  // Sharp dots on cases, acrylic and tumblers, which are held in the hand; half a point
  uv: { minDpi: 200, minStroke: 0.2 },
  // Paper, which is held in the hand; half a point
  digital: { minDpi: 200, minStroke: 0.2 },
  // Two pixels for each thread of 0.4 mm; the shortest satin stitch
  embroidery: { minDpi: 130, minStroke: 1 },
} as const satisfies Record<string, TechniqueNeeds>;

export type PrintTechnique = keyof typeof printTechniques;
