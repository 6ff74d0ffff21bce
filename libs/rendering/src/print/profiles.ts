import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharp } from '#images';
import { type OutputCondition } from './pdf.js';

/** ICC profiles of print files. */
export interface PrintProfiles {
  /** Path of the CMYK profile. */
  readonly cmykPath: string;
  readonly output: OutputCondition;
  readonly rgb: Uint8Array;
}

/** Returns the path of the CMYK profile in a folder of profiles. */
export const cmykProfileIn = (folder: string): string => join(folder, 'fogra39l.icc');

/**
 * Reads the profiles of a folder. The profile of sRGB is that of libvips (CC0, 480 bytes), with
 * which images are decoded.
 */
export async function readProfiles(folder: string): Promise<PrintProfiles> {
  const cmykPath = cmykProfileIn(folder);
  const pixel = { width: 1, height: 1, channels: 3, background: 'white' } as const;
  const image = await sharp({ create: pixel }).withIccProfile('srgb').png().toBuffer();
  const { icc } = await sharp(image).metadata();
  return {
    cmykPath,
    output: {
      identifier: 'FOGRA39',
      info: 'Coated FOGRA39 (ISO 12647-2:2004)',
      profile: readFileSync(cmykPath),
    },
    rgb: icc!,
  };
}
