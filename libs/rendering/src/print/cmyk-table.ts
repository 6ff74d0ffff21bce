import { sharp } from '#images';
import { type ColorTable, nodesPerAxis as nodes, nodeStep as step } from './color-table.js';

const tables = new Map<string, Promise<ColorTable>>();

/**
 * Returns the ink of a profile for colors of sRGB. The table is computed once (50 ms). The
 * rendering intent is that of sharp: perceptual, without black point compensation, because
 * perceptual tables map black to black.
 *
 * @param profile path of the ICC profile
 */
export function cmykTable(profile: string): Promise<ColorTable> {
  const known = tables.get(profile);
  if (known) return known;
  const table = computeTable(profile);
  tables.set(profile, table);
  table.catch(() => tables.delete(profile));
  return table;
}

async function computeTable(profile: string): Promise<ColorTable> {
  const rgb = Buffer.alloc(3 * nodes ** 3);
  for (let i = 0; i < nodes ** 3; i++) {
    rgb[3 * i] = step * Math.floor(i / nodes ** 2);
    rgb[3 * i + 1] = step * (Math.floor(i / nodes) % nodes);
    rgb[3 * i + 2] = step * (i % nodes);
  }
  // With `toColourspace('cmyk')` sharp would first convert to the CMYK of another profile
  const { data, info } = await sharp(rgb, { raw: { width: nodes, height: nodes ** 2, channels: 3 } })
    .withIccProfile(profile, { attach: false })
    .raw()
    .toBuffer({ resolveWithObject: true });
  // sharp ignores invalid profiles
  if (info.channels !== 4) throw new Error(`${profile} is not a CMYK profile`);
  return data;
}
