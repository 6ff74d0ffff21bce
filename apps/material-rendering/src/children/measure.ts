import { dominantColor } from '../pipeline/dominant-color.js';
import { decodeLevel } from '../pipeline/level.js';
import { openTexture } from '../pipeline/sharp.js';
import type { Measurement } from '../textures/measurement.schema.js';
import { assemble, TooManyParts } from '../textures/metadata/stored-parts.js';
import { withoutMetadata } from '../textures/metadata/without-metadata.js';
import {
  excessOf,
  excessOfChunks,
  type ImageHeader,
  pixelsOf,
  scansOf,
  sniff,
  type TextureFormat,
  textureLimits,
} from '../textures/texture.rules.js';

/** Enough pixels for the dominant colour; on the way there every pixel of the file is decoded. */
const measuredEdge = 1024;

/**
 * Reads an image to its end: the header first, because its numbers decide whether anything else is looked at. Runs in
 * child processes only.
 */
export async function measure(bytes: Buffer): Promise<Measurement> {
  const sniffed = sniff(bytes);
  const chunkExcess = 'supported' in sniffed && sniffed.supported === 'png' ? excessOfChunks(bytes) : null;
  if (chunkExcess !== null) return { kind: 'not-decoded', reason: chunkExcess };
  try {
    const original = await headerOf(bytes);
    const excess = excessOf(original) ?? excessOfScans(bytes, original);
    if (excess !== null) return { kind: 'too-large', reason: excess };
    // One of the five formats: this process has no decoders of others
    const parts = withoutMetadata(bytes, original.format as TextureFormat, original.orientation);
    // The decoder looks at what is stored: it may not differ from the file in anything else
    const stored = parts === null ? bytes : assemble(bytes, parts);
    const { format, width, height } = parts === null ? original : await headerOf(stored);
    const { data } = await decodeLevel(stored, Math.min(measuredEdge, Math.max(width, height)));
    return { kind: 'measured', format, width, height, dominantRgb: dominantColor(data), parts };
  } catch (error) {
    if (error instanceof TooManyParts) return { kind: 'not-decoded', reason: 'it has too many pieces of metadata' };
    return refusalOf(error instanceof Error ? error.message : '', bytes);
  }
}

async function headerOf(bytes: Buffer): Promise<ImageHeader & { readonly orientation: number }> {
  const { format, mediaType, autoOrient, orientation = 1 } = await openTexture(bytes).metadata();
  const { width, height } = autoOrient;
  return { format: mediaType === 'image/avif' ? 'avif' : format, width, height, orientation };
}

function excessOfScans(bytes: Buffer, { format }: ImageHeader): string | null {
  const scans = format === 'jpeg' ? scansOf(bytes) : 0;
  return scans > textureLimits.scans ? `${scans} scans, and ${textureLimits.scans} are allowed` : null;
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
