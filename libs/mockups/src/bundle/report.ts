import { sharp } from '#images';

/** An image of three bytes per pixel. */
interface RgbImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Difference of two images where the item is, in levels of 0 to 255. */
interface Difference {
  readonly mean: number;
  /** 99 of 100 values differ by less or as much. */
  readonly most: number;
  readonly max: number;
}

const panelSide = 640;
const labelHeight = 56;
const gap = 16;
const amplified = 4;
const textRgb = [34, 34, 34] as const;
/** White without a difference. */
const shownDifferences = Uint8Array.from({ length: 256 }, (_, value) => 255 - Math.min(255, amplified * value));

function differenceOf({ data: a }: RgbImage, { data: b }: RgbImage): Uint8Array {
  const differences = new Uint8Array(a.length);
  for (let i = 0; i < a.length; i++) differences[i] = a[i]! < b[i]! ? b[i]! - a[i]! : a[i]! - b[i]!;
  return differences;
}

function measured(differences: Uint8Array, mask: Uint8Array | undefined): Difference {
  const counts = new Uint32Array(256);
  for (let pixel = 0, i = 0; i < differences.length; pixel++, i += 3) {
    if (mask && mask[pixel]! < 255) continue;
    for (let c = 0; c < 3; c++) counts[differences[i + c]!]! += 1;
  }
  const sum = counts.reduce((all, count, value) => all + count * value, 0);
  const total = counts.reduce((all, count) => all + count, 0);
  let most = 0;
  for (let seen = counts[0]!; seen < 0.99 * total; seen += counts[most]!) most += 1;
  return {
    mean: sum / Math.max(1, total),
    most,
    max: Math.max(
      0,
      counts.findLastIndex((count) => count > 0),
    ),
  };
}

/**
 * Draws an original and our drawing of it side by side, with the difference, amplified.
 *
 * @param title names what is shown
 * @param mask pixels that count for the figures, those with 255. Default: all
 * @returns a PNG, and the difference
 */
export async function drawReport(
  title: string,
  original: RgbImage,
  ours: RgbImage,
  mask?: Uint8Array,
): Promise<{ readonly png: Buffer; readonly difference: Difference }> {
  const differences = differenceOf(original, ours);
  const found = measured(differences, mask);
  const shown = { ...original, data: new Uint8Array(differences.length) };
  for (let i = 0; i < differences.length; i++) shown.data[i] = shownDifferences[differences[i]!]!;
  const figures = `mean ${found.mean.toFixed(1)}, 99 % ${found.most}, max ${found.max} of 255`;
  const labels = [`${title}: original`, 'ours', `difference x ${amplified}: ${figures}`];
  // Loaded here, because most commands draw nothing
  const { Canvas } = await import('#rendering/sheet/canvas.js');
  const canvas = new Canvas(gap + 3 * (panelSide + gap), labelHeight + panelSide + gap);
  for (const [i, { width, height, data }] of [original, ours, shown].entries()) {
    const x = gap + i * (panelSide + gap);
    const resized = await sharp(data, { raw: { width, height, channels: 3 } })
      .resize(panelSide, panelSide, { fit: 'inside' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    canvas.image(x, labelHeight, { ...resized.info, data: resized.data });
    canvas.label(labels[i]!, { x, y: labelHeight - gap, em: 17, rgb: textRgb, maxWidth: panelSide });
  }
  return { png: await canvas.encode('png'), difference: found };
}
