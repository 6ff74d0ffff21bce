import { dominantColor } from '../pipeline/dominant-color.js';
import { decodeLevel } from '../pipeline/pyramid.js';
import { openTexture } from '../pipeline/sharp.js';
import type { Measurement } from './measurement.js';
import { excessOf, pixelsOf, scansOf, sniff, textureLimits } from './texture.js';

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
    const scans = format === 'jpeg' ? scansOf(bytes) : 0;
    if (scans > textureLimits.scans) {
      return { kind: 'too-large', reason: `${scans} scans, and ${textureLimits.scans} are allowed` };
    }
    const { data } = await decodeLevel(bytes, Math.min(measuredEdge, Math.max(width, height)));
    return { kind: 'measured', ...header, dominantRgb: dominantColor(data) };
  } catch (error) {
    return refusalOf(error instanceof Error ? error.message : '', bytes);
  }
}

/** The decoder's own words may quote the file: a person is told in ours what it was. */
function refusalOf(message: string, bytes: Buffer): Measurement {
  // The header was within the limits, and the decoder believes it
  if (/exceeds the maximum image size/i.test(message)) {
    return { kind: 'too-large', reason: 'it has more pixels than it says' };
  }
  if (/pixel limit|exceeds/i.test(message)) {
    const sniffed = sniff(bytes);
    const limit = pixelsOf('supported' in sniffed ? sniffed.supported : 'png');
    return { kind: 'too-large', reason: `more than ${limit / 1_000_000} million pixels` };
  }
  // WebP makes room for all its pixels before it tells how many they are
  if (/memory|allocat/i.test(message)) return { kind: 'too-large', reason: 'it needs too much memory' };
  return { kind: 'not-decoded', reason: 'it is damaged or not complete' };
}
