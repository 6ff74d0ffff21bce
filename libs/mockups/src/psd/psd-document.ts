import { type BlendMode, initializeCanvas, type Layer, type Psd, readPsd } from 'ag-psd';
import { PsdMistake, shownName } from './psd-mistake.js';

/** Limits of a document. */
const limits = {
  /** Pixels of the document and of each layer, 200 MB decoded. */
  pixels: 50_000_000,
  layers: 500,
  /** Nested groups. Photoshop has ten levels. */
  depth: 12,
} as const;

const modes: Readonly<Record<number, string>> = {
  0: 'bitmap',
  2: 'indexed colors',
  4: 'CMYK',
  7: 'multichannel',
  8: 'duotone',
  9: 'Lab',
};

const [grayscale, rgb] = [1, 3];
const headerBytes = 26;

/** Checks everything that the header says, before anything else is read. */
function checkHeader(bytes: Buffer): void {
  if (bytes.length === 0) throw new PsdMistake('is empty');
  if (bytes.toString('latin1', 0, 4) !== '8BPS') throw new PsdMistake('is not a PSD file');
  if (bytes.length < headerBytes) throw new PsdMistake('is cut: the header is not complete');
  const version = bytes.readUInt16BE(4);
  if (version === 2) throw new PsdMistake('is a PSB (large document): save it as PSD');
  if (version !== 1) throw new PsdMistake(`has version ${version}, not 1`);
  const [height, width] = [bytes.readUInt32BE(14), bytes.readUInt32BE(18)];
  if (width === 0 || height === 0) throw new PsdMistake(`has a size of ${width} x ${height} pixels`);
  if (width * height > limits.pixels)
    throw new PsdMistake(`has ${width} x ${height} pixels; at most ${limits.pixels / 1e6} million are allowed`);
  const [depth, mode] = [bytes.readUInt16BE(22), bytes.readUInt16BE(24)];
  if (mode !== grayscale && mode !== rgb)
    throw new PsdMistake(`has the color mode ${modes[mode] ?? mode}: convert it to RGB`);
  if (depth !== 8) throw new PsdMistake(`has ${depth} bits per channel: convert it to 8`);
}

function checkLayers(layers: readonly Layer[], depth: number, seen: { count: number }): void {
  if (depth > limits.depth) throw new PsdMistake(`has groups in more than ${limits.depth} levels`);
  for (const layer of layers) {
    seen.count += 1;
    if (seen.count > limits.layers) throw new PsdMistake(`has more than ${limits.layers} layers`);
    for (const box of [layer, layer.mask ?? {}]) {
      const [width, height] = [(box.right ?? 0) - (box.left ?? 0), (box.bottom ?? 0) - (box.top ?? 0)];
      if (width * height > limits.pixels)
        throw new PsdMistake(
          `has ${width} x ${height} pixels in layer ${shownName(layer.name)}; at most ${limits.pixels / 1e6} million are allowed`,
        );
    }
    if (layer.children) checkLayers(layer.children, depth + 1, seen);
  }
}

/**
 * Reads a document. Pixels are decoded later, one layer at a time.
 *
 * @throws PsdMistake
 */
export function readDocument(bytes: Buffer): Psd {
  checkHeader(bytes);
  // The library creates images of 8 bits by this function only
  initializeCanvas(
    () => {
      throw new Error('no canvas');
    },
    (width, height) => ({ width, height, data: new Uint8ClampedArray(4 * width * height) }),
  );
  let psd: Psd;
  try {
    psd = readPsd(bytes, {
      useRawData: true,
      useImageData: true,
      skipThumbnail: true,
      skipLinkedFilesData: true,
      log: () => undefined,
    });
  } catch (error) {
    throw damaged(error);
  }
  checkLayers(psd.children ?? [], 1, { count: 0 });
  return psd;
}

/** Messages of the library are about the format and do not quote the file, except signatures. */
export const damaged = (error: unknown): PsdMistake => {
  const message = error instanceof Error ? error.message : '';
  const reason = /bounds|past end|outside|Invalid typed array/i.test(message) ? 'it ends too early' : message;
  return new PsdMistake(`is damaged or cut: ${reason.replace(/\p{C}/gu, '?').slice(0, 120)}`);
};

/** A layer with the names of its groups. */
export interface PlacedInTree {
  readonly layer: Layer;
  readonly path: string;
  /** True if the layer and all its groups are visible. */
  readonly isVisible: boolean;
}

/** Returns all layers and groups, from the bottom to the top. */
export function allLayers(layers: readonly Layer[] = [], path = '', isVisible = true): PlacedInTree[] {
  return layers.flatMap((layer) => {
    const its = { layer, path: `${path}${layer.name ?? ''}`, isVisible: isVisible && layer.hidden !== true };
    return [its, ...allLayers(layer.children, `${its.path}/`, its.isVisible)];
  });
}

export const modeOf = (layer: Layer): BlendMode => layer.blendMode ?? 'normal';
