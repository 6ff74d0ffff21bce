import { sharp } from '#images';
import { type Report } from '../items/item-file.rules.js';
import { type BundleItem } from '../items/item-file.schema.js';
import { checkCrop, checkGrid, inked, type Plane } from './check-grid.js';
import { type Layer, layerImages } from './layer.js';

type Place = Pick<BundleItem['printPlaces'][number], 'name' | 'millimetres'>;

/** Tolerance of aspect ratios. */
export const aspectTolerance = 0.02;

/** How far ink may exceed the mask: two levels, for programs that scale both on their own. */
const inkTolerance = 2;

/** Decodes a master image to one channel; undefined after a mistake. */
async function decode(image: Buffer, { width }: Layer, report: (message: string) => void): Promise<Plane | undefined> {
  // Only these two decoders see the bytes
  const start = image.subarray(0, 12).toString('latin1');
  if (!start.startsWith('\x89PNG\r\n\x1a\n') && !/^RIFF.{4}WEBP$/s.test(start)) {
    report('is not a PNG or WebP image');
    return undefined;
  }
  try {
    // Reads the header only
    const { format, width: columns, height: rows, depth } = await sharp(image, { limitInputPixels: false }).metadata();
    if (format !== 'png' && format !== 'webp') throw new Error('another format');
    if (columns !== width || rows !== width) {
      report(`is ${columns} x ${rows} pixels, not ${width} x ${width}`);
      return undefined;
    }
    if (depth !== 'uchar') {
      // The decoder of 16 bits needs twice the memory
      report('must have 8 bits per channel');
      return undefined;
    }
    const opened = sharp(image, { limitInputPixels: width * width, failOn: 'error' });
    return { width, data: await opened.toColourspace('b-w').extractChannel(0).raw().toBuffer() };
  } catch {
    report('is damaged');
    return undefined;
  }
}

function checkArea(layer: Layer, place: Place, report: Report): void {
  const { width, height } = place.millimetres;
  const { printArea, aspect } = layer;
  if (printArea.width !== width || printArea.height !== height)
    report(
      'printArea',
      `is ${printArea.width} x ${printArea.height} mm, not the ${width} x ${height} mm of ${place.name}`,
    );
  if (Math.abs((aspect * height) / width - 1) > aspectTolerance)
    report('aspect', `${aspect} is not that of ${width} x ${height} mm, ${(width / height).toFixed(3)}`);
}

/**
 * Checks a layer that was read: its print area, its grid, and its images, which are decoded.
 *
 * @param place print place of the angle
 * @param isColored whether variants have different colors
 * @param report receives each mistake with its file and path
 */
export async function checkLayer(
  layer: Layer,
  { place, isColored }: { readonly place: Place | undefined; readonly isColored: boolean },
  report: Report,
): Promise<void> {
  const folder = `layers/${layer.angle}`;
  if (place) checkArea(layer, place, (path, message) => report(`${folder}/layer.json:${path}`, message));
  // In sequence, because the decoder of a PNG may need several times its pixels
  const decoded = (name: keyof typeof layerImages): Promise<Plane | undefined> =>
    decode(layer.images[name]!, layer, (message) => report(`${folder}/${layerImages[name]}`, message));
  await decoded('shade');
  await decoded('gloss');
  const mask = await decoded('mask');
  const ink = layer.images.ink ? await decoded('ink') : mask;
  const beside = ink && mask ? ink.data.findIndex((value, i) => value > mask.data[i]! + inkTolerance) : -1;
  if (beside >= 0) {
    const at = `${beside % layer.width},${Math.floor(beside / layer.width)}`;
    report(`${folder}/${layerImages.ink}`, `has ink where mask.png has no item, at ${at}`);
  }
  if (isColored && layer.clear) report(`${folder}/layer.json:clear`, 'is for variants of one color');
  if (isColored && mask && !mask.data.some((value) => value >= inked))
    report(`${folder}/mask.png`, 'tints nothing, but variants have different colors');
  else checkGrid(layer, ink, report);
}

/**
 * Checks that a close-up shows its print. Everything else is checked with the angle that it is a
 * part of.
 */
export async function checkCloseUp(layer: Layer, report: Report): Promise<void> {
  const { ink, mask } = layer.images;
  checkCrop(layer, await decode(ink ?? mask, layer, () => undefined), report);
}
