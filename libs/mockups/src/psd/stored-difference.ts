import { getCompositeImageData, type Psd } from 'ag-psd';
import { type Raster } from './blend.js';
import { damaged } from './psd-document.js';
import { type Frame, resample } from './resample.js';

/**
 * Returns the mean difference of a drawing of all layers to the one that is stored in the file,
 * 0..255; null if none is stored.
 *
 * @param draw is called if one is stored
 */
export function storedDifference(psd: Psd, frame: Frame, draw: () => Raster): number | null {
  const image = stored(psd);
  // Programs that do not draw a document store one color
  if (!image || image.data.every((value, index) => value === image.data[index % 4])) return null;
  const { sums, ...box } = resample({ left: 0, top: 0, ...image }, frame);
  const drawn = draw().rgba;
  let difference = 0;
  for (let y = 0, i = 0; y < box.height; y++)
    for (let x = 0; x < box.width; x++, i += 4) {
      const o = 4 * ((box.top + y) * frame.edge + box.left + x);
      const share = drawn[o + 3]!;
      for (let c = 0; c < 3; c++) difference += Math.abs(drawn[o + c]! * share - sums[i + c]!);
    }
  return (255 * difference) / (3 * box.width * box.height);
}

/** Returns the drawing that Photoshop has stored; null without one. */
function stored(psd: Psd) {
  if (psd.imageResources?.versionInfo?.hasRealMergedData === false) return null;
  try {
    const image = getCompositeImageData(psd);
    return image ? { width: image.width, height: image.height, data: image.data as Uint8ClampedArray } : null;
  } catch (error) {
    throw damaged(error);
  }
}
