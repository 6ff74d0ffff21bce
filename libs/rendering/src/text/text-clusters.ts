import { partsOf } from './text-markup.js';
import { type TextBitmap } from './text.js';

/** Rectangle in pixels, with y down. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Markup in which each cluster has a color of its own. */
export interface ColoredText {
  readonly markup: string;
  /** Index of the first character of the cluster by color, `0xrrggbb`. */
  readonly clusters: ReadonlyMap<number, number>;
}

/**
 * Color of a cluster. Multiples of an odd number are far apart, so that a mixture at the edge of
 * two letters is hardly ever the color of a third one.
 */
const colorOf = (index: number): number => ((index + 1) * 0x9e_37_79) % 0x1_00_00_00;

/**
 * Returns markup with a color for each cluster. Pango draws a ligature in its color only if all of
 * its characters are in one span.
 *
 * @param starts indices of the first characters of clusters
 */
export function colored(markup: string, starts: ReadonlySet<number>): ColoredText {
  const clusters = new Map<number, number>();
  let [colors, index, isOpen] = ['', 0, false];
  const close = (): void => {
    if (isOpen) colors += '</span>';
    isOpen = false;
  };
  for (const { part, character } of partsOf(markup)) {
    if (character === undefined || starts.has(index)) close();
    if (character !== undefined && starts.has(index)) {
      colors += `<span foreground="#${colorOf(index).toString(16).padStart(6, '0')}">`;
      clusters.set(colorOf(index), index);
      isOpen = true;
    }
    colors += part;
    if (character !== undefined) index++;
  }
  return { markup: colors, clusters };
}

/** Returns the boxes of the opaque pixels of each cluster, by the index of its first character. */
export function boxesOf({ clusters }: ColoredText, { pixels, width, height }: TextBitmap): Map<number, Box> {
  const boxes = new Map<number, { left: number; top: number; right: number; bottom: number }>();
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      if (pixels[at + 3] !== 255) continue;
      const cluster = clusters.get((pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!);
      if (cluster === undefined) continue;
      const box = boxes.get(cluster);
      if (box) {
        box.left = Math.min(box.left, x);
        box.right = Math.max(box.right, x + 1);
        box.bottom = y + 1;
      } else boxes.set(cluster, { left: x, top: y, right: x + 1, bottom: y + 1 });
    }
  }
  return boxes;
}
