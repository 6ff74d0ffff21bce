/** Color of three bytes, gamma-coded sRGB. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Albedo of everything that does not have the item's color: wall, table, fittings. */
export const backgroundRgb: Rgb = [246, 246, 244];

/** Shade value of full light. */
export const fullLight = 200;

/** Color of the bare wall in a finished image. */
export const wallRgb: Rgb = [235, 235, 233];

/** `litTable[shade << 8 | albedo]` is the product of gamma-coded values, see `glossTable`. */
export const litTable: Uint8Array = (() => {
  const table = new Uint8Array(65_536);
  for (let shade = 0; shade < 256; shade++) {
    for (let albedo = 0; albedo < 256; albedo++) {
      table[(shade << 8) | albedo] = Math.min(255, Math.floor(albedo * (shade / fullLight) + 0.5));
    }
  }
  return table;
})();

/**
 * `glossTable[gloss << 8 | lit]` is the final value of a channel with the value `lit` before gloss.
 * Gloss is added in linear light, `255 * ((lit/255)^2.2 + gloss/1000)^(1/2.2)`. Light is multiplied
 * in gamma-coded values, because with a power law `(albedo * light)^(1/2.2)` is the product of both
 * gamma-coded values.
 */
export const glossTable: Uint8Array = (() => {
  const table = new Uint8Array(65_536);
  for (let gloss = 0; gloss < 256; gloss++) {
    for (let lit = 0; lit < 256; lit++) {
      const linear = (lit / 255) ** 2.2 + gloss / 1000;
      table[(gloss << 8) | lit] = Math.min(255, Math.round(255 * linear ** (1 / 2.2)));
    }
  }
  return table;
})();
