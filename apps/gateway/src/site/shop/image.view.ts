import type { ImageFormat } from '#contracts';

/** An available image size, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Variant and angle of a product image. A null angle is the default angle of the item. */
export interface ImageView {
  readonly size: string;
  readonly color: string;
  readonly angle: string | null;
}

/** An image in all sizes, for `<img srcset>`. */
export interface ResponsiveImage extends ImageSize {
  readonly src: string;
  readonly srcset: string;
}

function sizesOf(allowed: ReadonlySet<string>): ImageSize[] {
  return [...allowed].map((text) => {
    const [width, height] = text.split('x').map(Number);
    return { width: width!, height: height! };
  });
}

/**
 * Returns the sizes for pages, smallest first: the square sizes, or all sizes if no square one is
 * configured.
 */
export function pageSizes(allowed: ReadonlySet<string>): readonly [ImageSize, ...ImageSize[]] {
  const all = sizesOf(allowed);
  const squares = all.filter(({ width, height }) => width === height);
  const sizes = squares.length > 0 ? squares : all;
  return sizes.sort((a, b) => a.width - b.width) as [ImageSize, ...ImageSize[]];
}

/**
 * Fills the template of a product's images.
 *
 * @param template the product's `imageUrl`, or its path on this site
 */
export function fillImageUrl(
  template: string,
  { size, color, angle }: ImageView,
  { width, height }: ImageSize,
  format: ImageFormat = 'webp',
): string {
  const [path = '', query] = template.split('?');
  const filled = path
    .replace('{width}x{height}', `${width}x${height}`)
    .replace('{size}/{color}', `${size}/${color}`)
    .replace('[/angle]', angle === null ? '' : `/${angle}`)
    .replace(/\.webp$/, `.${format}`);
  return `${filled}?${query}`;
}

/** Returns an image in every size. `src`, `width` and `height` are those of the smallest size. */
export function responsiveImage(
  template: string,
  view: ImageView,
  sizes: readonly [ImageSize, ...ImageSize[]],
): ResponsiveImage {
  const srcset = sizes.map((size) => `${fillImageUrl(template, view, size)} ${size.width}w`).join(', ');
  return { ...sizes[0], src: fillImageUrl(template, view, sizes[0]), srcset };
}

/** Size that other sites use for link previews (Open Graph). */
const openGraphSize = { width: 1200, height: 630 };

/**
 * Returns the size for link previews: the Open Graph size if it is configured, else the largest
 * size for pages.
 */
export const previewSize = (allowed: ReadonlySet<string>): ImageSize =>
  allowed.has(`${openGraphSize.width}x${openGraphSize.height}`) ? openGraphSize : pageSizes(allowed).at(-1)!;

/**
 * Returns the size for link previews if it is within the limits, else the largest size that is;
 * undefined if none is.
 */
export function sizeWithin(allowed: ReadonlySet<string>, maxWidth: number, maxHeight: number): ImageSize | undefined {
  const sizes = [...sizesOf(allowed).sort((a, b) => a.width * a.height - b.width * b.height), previewSize(allowed)];
  return sizes.findLast(({ width, height }) => width <= maxWidth && height <= maxHeight);
}
