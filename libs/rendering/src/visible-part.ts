/** Rectangle of an image, in pixels. */
interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the smallest rectangle that contains all visible pixels, or the whole image when none is
 * visible. 7 megapixels take up to 30 ms; sharp's `trim`, which smooths the image first, takes 0.7
 * s.
 *
 * @param pixels RGBA, row by row
 */
export function visiblePart(pixels: Uint8Array, width: number, height: number): Part {
  const isVisible = (x: number, y: number): boolean => pixels[4 * (y * width + x) + 3] !== 0;
  const hasVisible = (y: number): boolean => {
    for (let x = 0; x < width; x++) if (isVisible(x, y)) return true;
    return false;
  };
  let [top, bottom] = [0, height - 1];
  while (top < height && !hasVisible(top)) top++;
  if (top === height) return { left: 0, top: 0, width, height };
  while (!hasVisible(bottom)) bottom--;
  let [left, right] = [width, -1];
  for (let y = top; y <= bottom; y++) {
    // Only the columns outside those of the rows above
    for (let x = 0; x < left; x++) if (isVisible(x, y)) left = x;
    for (let x = width - 1; x > right; x--) if (isVisible(x, y)) right = x;
  }
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}
