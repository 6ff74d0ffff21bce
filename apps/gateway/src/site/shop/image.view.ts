import type { ImageFormat } from '#contracts';

/** A size in pixels that is drawn. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** What an image of a product shows. The angle null is the one that the item is shown from by itself. */
export interface ImageView {
  readonly size: string;
  readonly color: string;
  readonly angle: string | null;
}

/** An image as a page shows it, in all its sizes. */
export interface ResponsiveImage extends ImageSize {
  readonly src: string;
  readonly srcset: string;
}

/** The sizes that pages choose from, the smallest first: the square ones, or all where an operator draws none. */
export function pageSizes(allowed: ReadonlySet<string>): readonly [ImageSize, ...ImageSize[]] {
  const all = [...allowed].map((text) => {
    const [width, height] = text.split('x').map(Number);
    return { width: width!, height: height! };
  });
  const squares = all.filter(({ width, height }) => width === height);
  const sizes = squares.length > 0 ? squares : all;
  return sizes.sort((a, b) => a.width - b.width) as [ImageSize, ...ImageSize[]];
}

/**
 * Fills the template of a product's images.
 *
 * @param template the product's `imageUrl`
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

/** An image in every size; the one of a browser that does not choose, and the shape of all, is the smallest. */
export function imageOf(
  template: string,
  view: ImageView,
  sizes: readonly [ImageSize, ...ImageSize[]],
): ResponsiveImage {
  const srcset = sizes.map((size) => `${fillImageUrl(template, view, size)} ${size.width}w`).join(', ');
  return { ...sizes[0], src: fillImageUrl(template, view, sizes[0]), srcset };
}

/** The shape that other sites show a link in. */
const preview = { width: 1200, height: 630 };

/** The size of the image that other sites show beside a link: theirs where it is drawn, else the largest of the pages. */
export const previewSize = (allowed: ReadonlySet<string>): ImageSize =>
  allowed.has(`${preview.width}x${preview.height}`) ? preview : pageSizes(allowed).at(-1)!;
