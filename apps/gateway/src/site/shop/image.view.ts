import type { PictureFormat } from '#contracts';

/** A size in pixels that is drawn. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** What a picture of a product shows. The angle null is the one that the item is shown from by itself. */
export interface PictureView {
  readonly size: string;
  readonly color: string;
  readonly angle: string | null;
}

/** A picture as a page shows it, in all its sizes. */
export interface Picture extends PictureSize {
  readonly src: string;
  readonly srcset: string;
}

/** The sizes that pages choose from, the smallest first: the square ones, or all where an operator draws none. */
export function pageSizes(allowed: ReadonlySet<string>): readonly [PictureSize, ...PictureSize[]] {
  const all = [...allowed].map((text) => {
    const [width, height] = text.split('x').map(Number);
    return { width: width!, height: height! };
  });
  const squares = all.filter(({ width, height }) => width === height);
  const sizes = squares.length > 0 ? squares : all;
  return sizes.sort((a, b) => a.width - b.width) as [PictureSize, ...PictureSize[]];
}

/**
 * Fills the template of a product's pictures.
 *
 * @param template the product's `imageUrl`
 */
export function pictureUrl(
  template: string,
  { size, color, angle }: PictureView,
  { width, height }: PictureSize,
  format: PictureFormat = 'webp',
): string {
  const [path = '', query] = template.split('?');
  const filled = path
    .replace('{width}x{height}', `${width}x${height}`)
    .replace('{size}/{color}', `${size}/${color}`)
    .replace('[/angle]', angle === null ? '' : `/${angle}`)
    .replace(/\.webp$/, `.${format}`);
  return `${filled}?${query}`;
}

/** A picture in every size; the one of a browser that does not choose, and the shape of all, is the smallest. */
export function pictureOf(
  template: string,
  view: PictureView,
  sizes: readonly [PictureSize, ...PictureSize[]],
): Picture {
  const srcset = sizes.map((size) => `${pictureUrl(template, view, size)} ${size.width}w`).join(', ');
  return { ...sizes[0], src: pictureUrl(template, view, sizes[0]), srcset };
}

/** The shape that other sites show a link in. */
const preview = { width: 1200, height: 630 };

/** The size of the picture that other sites show beside a link: theirs where it is drawn, else the largest of the pages. */
export const previewSize = (allowed: ReadonlySet<string>): PictureSize =>
  allowed.has(`${preview.width}x${preview.height}`) ? preview : pageSizes(allowed).at(-1)!;
