import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { unpremultiply } from './level.js';
import { cmykTable } from './print/cmyk-table.js';
import { type ColorTable, convertColors, nodesPerAxis } from './print/color-table.js';
import { inkColors, srgbOf } from './print/ink-color.js';
import { type PyramidLevel } from './texture.js';

const bytesPerRed = 4 * nodesPerAxis ** 2;

const tables = new Map<string, Promise<ColorTable>>();

/** Returns the printed colors of sRGB. The table is computed once (0.3 s). */
function proofTable(cmykProfile: string): Promise<ColorTable> {
  const known = tables.get(cmykProfile);
  if (known) return known;
  const table = computeTable(cmykProfile);
  tables.set(cmykProfile, table);
  table.catch(() => tables.delete(cmykProfile));
  return table;
}

async function computeTable(cmykProfile: string): Promise<ColorTable> {
  const inks = await cmykTable(cmykProfile);
  const colorOf = inkColors(await readFile(cmykProfile));
  const table = new Uint8Array(inks.length);
  for (let i = 0; i < inks.length; i += 4) {
    // 6 ms at a time, because other requests wait meanwhile
    if (i % bytesPerRed === 0) await setImmediate();
    table.set(srgbOf(colorOf(inks.subarray(i, i + 4))).map(Math.round), i);
    table[i + 3] = 255;
  }
  return table;
}

/**
 * Returns a level in the colors in which print files of CMYK are printed: by the ink of the print
 * file to sRGB. The way back is relative colorimetric without black point compensation: the white
 * of the paper stays the white of the screen, and black is as light as the ink.
 *
 * @param cmykProfile path of the ICC profile
 */
export async function softProof(level: PyramidLevel, cmykProfile: string): Promise<PyramidLevel> {
  const data = unpremultiply(Buffer.from(level.data));
  convertColors(data, await proofTable(cmykProfile));
  return { ...level, data };
}
