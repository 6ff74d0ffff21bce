import { type ResizeMode } from '#contracts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size of an artwork in widths and heights of the print area. `contain` fits the whole
 * artwork into the area, `cover` fills the area.
 *
 * @param artworkAspect width / height of the artwork
 * @param areaAspect width / height of the print area
 */
export function fit(artworkAspect: number, areaAspect: number, mode: ResizeMode): Size {
  const ratio = artworkAspect / areaAspect;
  const fillsWidth = ratio > 1 === (mode === 'contain');
  return fillsWidth ? { width: 1, height: 1 / ratio } : { width: ratio, height: 1 };
}
