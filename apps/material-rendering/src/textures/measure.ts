import { dominantColor } from '../pipeline/dominant-color.js';
import { decodeLevel } from '../pipeline/pyramid.js';
import { openTexture } from '../pipeline/sharp.js';
import type { Measurement } from './measurement.js';
import { excessOf, textureLimits } from './texture.js';

/** Enough pixels for the dominant colour; on the way there every pixel of the file is decoded. */
const measuredEdge = 1024;

/**
 * Reads a picture to its end: the header first, because its numbers decide whether anything else is looked at. Runs in
 * child processes only.
 */
export async function measure(bytes: Buffer): Promise<Measurement> {
  try {
    const { format, mediaType, autoOrient } = await openTexture(bytes).metadata();
    const { width, height } = autoOrient;
    const header = { format: mediaType === 'image/avif' ? 'avif' : format, width, height };
    const excess = excessOf(header);
    if (excess !== null) return { kind: 'too-large', reason: excess };
    const { data } = await decodeLevel(bytes, Math.min(measuredEdge, Math.max(width, height)));
    return { kind: 'measured', ...header, dominantRgb: dominantColor(data) };
  } catch (error) {
    return refusalOf(error instanceof Error ? error.message : '');
  }
}

/** The decoder's own words may quote the file: a person is told which of two things it was. */
function refusalOf(message: string): Measurement {
  if (/pixel limit|exceeds/i.test(message)) {
    return { kind: 'too-large', reason: `more than ${textureLimits.pixels / 1_000_000} million pixels` };
  }
  if (/memory|allocat/i.test(message)) return { kind: 'not-decoded', reason: 'it needs too much memory' };
  return { kind: 'not-decoded', reason: 'it is damaged or not complete' };
}
