import { dominantColor } from '#rendering/dominant-color.js';
import { decodeLevel, measuredEdge } from '#rendering/level.js';
import { openTexture } from '#images';
import type { Measurement } from '../textures/measurement.schema.js';
import { isAnimated } from '../textures/metadata/animation.js';
import { assemble, TooManyParts } from '../textures/metadata/stored-parts.js';
import { withoutMetadata } from '../textures/metadata/without-metadata.js';
import {
  findPixelExcess,
  findChunkExcess,
  type ImageHeader,
  maxPixelsOf,
  scansOf,
  sniff,
  type TextureFormat,
  textureLimits,
} from '../textures/texture.rules.js';

/**
 * Decodes an image completely and measures it. The header is checked first: nothing else is decoded
 * when its numbers exceed the limits. Runs in child processes only.
 *
 * @param withLevel true to return the decoded level
 */
export async function measure(bytes: Buffer, withLevel = false): Promise<Measurement> {
  const sniffed = sniff(bytes);
  const chunkExcess = 'supported' in sniffed && sniffed.supported === 'png' ? findChunkExcess(bytes) : null;
  if (chunkExcess !== null) return { kind: 'not-decoded', reason: chunkExcess };
  try {
    const original = await headerOf(bytes);
    const excess = findPixelExcess(original) ?? findScanExcess(bytes, original);
    if (excess !== null) return { kind: 'too-large', reason: excess };
    // A TextureFormat or HEIF: libs/images blocks the loaders of all other formats. HEIF
    // images other than AVIF fail here and are rejected
    const parts = withoutMetadata(bytes, original.format as TextureFormat, original.orientation);
    // Decodes the bytes that will be stored. They may differ from the file only in metadata
    const stored = parts === null ? bytes : assemble(bytes, parts);
    const { format, width, height } = parts === null ? original : await headerOf(stored);
    const level = await decodeLevel(stored, Math.min(measuredEdge, Math.max(width, height)), { width, height });
    const dominantRgb = dominantColor(level.data);
    const animated = isAnimated(bytes, original.format as TextureFormat, original.pages);
    return { kind: 'measured', format, width, height, dominantRgb, animated, parts, ...(withLevel && { level }) };
  } catch (error) {
    if (error instanceof TooManyParts) return { kind: 'not-decoded', reason: 'it has too many pieces of metadata' };
    return rejectionOf(error instanceof Error ? error.message : '', bytes);
  }
}

interface MeasuredHeader extends ImageHeader {
  readonly orientation: number;
  readonly pages: number;
}

async function headerOf(bytes: Buffer): Promise<MeasuredHeader> {
  const { format, mediaType, autoOrient, orientation = 1, pages = 1 } = await openTexture(bytes).metadata();
  const { width, height } = autoOrient;
  return { format: mediaType === 'image/avif' ? 'avif' : format, width, height, orientation, pages };
}

function findScanExcess(bytes: Buffer, { format }: ImageHeader): string | null {
  const scans = format === 'jpeg' ? scansOf(bytes) : 0;
  return scans > textureLimits.scans ? `${scans} scans; at most ${textureLimits.scans} are allowed` : null;
}

/**
 * Returns the rejection for a message of the decoder. The message itself is not passed on, because
 * it may quote the file.
 */
function rejectionOf(message: string, bytes: Buffer): Measurement {
  // The header was within the limits, but the data has more pixels
  if (/exceeds the maximum image size/i.test(message)) {
    return { kind: 'too-large', reason: 'it has more pixels than its header declares' };
  }
  if (/pixel limit|exceeds/i.test(message)) {
    const sniffed = sniff(bytes);
    const limit = maxPixelsOf('supported' in sniffed ? sniffed.supported : 'png');
    return { kind: 'too-large', reason: `more than ${limit / 1_000_000} million pixels` };
  }
  // The WebP decoder allocates memory for all pixels before it reports their number
  if (/memory|allocat/i.test(message)) return { kind: 'too-large', reason: 'it needs too much memory' };
  return { kind: 'not-decoded', reason: 'it is damaged or not complete' };
}
