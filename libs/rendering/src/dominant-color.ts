/** Bins of the histogram: the upper four bits of red, green and blue. */
const bins = 4096;

/**
 * Returns the color that covers most of an image: the mean color of the largest of 4096 bins,
 * weighted by alpha. Transparent pixels do not count, and an image of one color yields exactly
 * that color. (The statistic of sharp returns the middle of a bin and counts transparent pixels as
 * black.)
 *
 * @param premultiplied RGBA bytes, colors multiplied by alpha; a million pixels suffice
 * @returns `#rrggbb`, or null when no pixel is visible
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
    // The values are already multiplied by alpha, as the weighted mean requires
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
