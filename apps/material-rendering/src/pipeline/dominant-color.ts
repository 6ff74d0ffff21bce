/** Red, green and blue by their upper four bits. */
const bins = 4096;

/**
 * The colour that covers most of an image: the mean of the fullest of 4096 bins, weighted by alpha, so that what is
 * transparent does not count and a flat colour comes out as it is. (sharp's own statistic gives the middle of a bin and
 * counts transparent pixels as black.)
 *
 * @param premultiplied RGBA bytes, colours multiplied by alpha; about a million pixels are plenty
 * @returns `#rrggbb`, or null when nothing is visible
 */
export function dominantColor(premultiplied: Uint8Array): string | null {
  const weights = new Float64Array(bins);
  const sums = new Float64Array(3 * bins);
  for (let i = 0; i < premultiplied.length; i += 4) {
    const alpha = premultiplied[i + 3]!;
    if (alpha === 0) continue;
    const [red, green, blue] = [premultiplied[i]!, premultiplied[i + 1]!, premultiplied[i + 2]!];
    const nibble = (value: number): number => Math.min(15, ((value * 255) / alpha) >> 4);
    const bin = (nibble(red) << 8) | (nibble(green) << 4) | nibble(blue);
    weights[bin]! += alpha;
    // Multiplied by alpha they are already: the sum of products that a weighted mean wants
    sums[3 * bin]! += red;
    sums[3 * bin + 1]! += green;
    sums[3 * bin + 2]! += blue;
  }
  const winner = weights.indexOf(Math.max(...weights));
  const weight = weights[winner]!;
  if (weight === 0) return null;
  const hex = (c: number): string =>
    Math.min(255, Math.round((sums[3 * winner + c]! * 255) / weight))
      .toString(16)
      .padStart(2, '0');
  return `#${hex(0)}${hex(1)}${hex(2)}`;
}
