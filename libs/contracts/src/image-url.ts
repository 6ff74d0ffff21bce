import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { pictureFormats, type PictureFormat, type PictureRequest } from './messages/material-rendering.js';

/**
 * Image URLs are a contract: the catalogue writes them, the gateway checks them, clients fill in their templates.
 *
 *     {base}/images/v1/{width}x{height}/{item}/{size}/{color}[/{angle}]/{filePath}[.{adjustment}].{ext}?h={hash}&printed={printed}[&v={revision}]
 *
 * with `filePath` = `{materialId}/{uploadedAt, epoch seconds}-{width}x{height}.{png|jpg}`. The revision is there for caches
 * alone: it says that a picture was changed, and nobody reads it.
 */
export const imagePath = '/images/v1';

/** The sizes that are drawn, as `{width}x{height}`, unless an operator allows others. */
export const defaultPictureSizes = ['323x323', '500x500', '765x765', '1024x1024', '1530x1530'] as const;

export interface UploadedPicture {
  readonly materialId: number;
  readonly uploadedAt: Date;
  readonly originalWidth: number;
  readonly originalHeight: number;
  /** The format of the upload: photographs keep `jpg`, everything else is named `png`. */
  readonly format: string;
}

/** `12/1763629200-2000x1000.png` */
export function filePathOf(it: UploadedPicture): string {
  const epoch = Math.floor(it.uploadedAt.getTime() / 1000);
  const extension = it.format === 'jpeg' ? 'jpg' : 'png';
  return `${it.materialId}/${epoch}-${it.originalWidth}x${it.originalHeight}.${extension}`;
}

/** The signature `h` of a material's pictures: 40 hexadecimal digits, the same for all its items, sizes and colours. */
export const signFilePath = (filePath: string, secret: string): string =>
  createHmac('sha256', secret).update(filePath).digest('hex').slice(0, 40);

/** The signature of an adjusted picture, which a client may derive from the plain one. */
export const signAdjustment = (hash: string, adjustment: string): string =>
  createHash('sha1').update(`${hash} ${adjustment}`).digest('hex');

/** Whether `hash` is the signature of this picture; compared in constant time. */
export function isSigned(picture: PictureRequest, hash: string, secret: string): boolean {
  const plain = signFilePath(picture.filePath, secret);
  const expected = Buffer.from(picture.adjustment === null ? plain : signAdjustment(plain, picture.adjustment));
  const given = Buffer.from(hash);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export interface ImageTarget {
  readonly base: string;
  readonly itemName: string;
  readonly filePath: string;
  readonly hash: string;
  /** How often the pictures were changed. Those that never were have an address without it. */
  readonly revision?: number | undefined;
}

const queryOf = ({ hash, revision = 0 }: ImageTarget): string =>
  `h=${hash}&printed=true${revision > 0 ? `&v=${revision}` : ''}`;

/** The template of a product's pictures: `{width}x{height}`, `{size}/{color}` and `[/angle]` stay open. */
export const imageUrlTemplate = (it: ImageTarget): string =>
  `${it.base}${imagePath}/{width}x{height}/${it.itemName}/{size}/{color}[/angle]/${it.filePath}.webp?${queryOf(it)}`;

export interface FilledImage extends ImageTarget {
  readonly width: number;
  readonly height: number;
  readonly size: string;
  readonly color: string;
  readonly angle: string | null;
  readonly format: PictureFormat;
}

export const imageUrl = (it: FilledImage): string =>
  `${it.base}${imagePath}/${it.width}x${it.height}/${it.itemName}/${it.size}/${it.color}` +
  `${it.angle === null ? '' : `/${it.angle}`}/${it.filePath}.${it.format}?${queryOf(it)}`;

/** The template per angle that an item shows: nothing but the item and the angle is known yet. */
export const itemImageUrlTemplate = (base: string, itemName: string): string =>
  `${base}${imagePath}/{width}x{height}/${itemName}/{size}/{color}[/angle]/{filePath}[.{adjustment}].{ext}?h={hash}&printed={printed}`;

/** A name of the catalogue has at most 64 characters: it becomes the name of a file. */
const segment = '[a-z0-9][a-z0-9-]{0,63}';
const number = String.raw`\d{1,4}\.\d{1,5}`;
/** What stands behind `/images/v1/`. */
// eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
export const imagePathPattern = new RegExp(
  `^(?<width>[1-9]\\d{0,3})x(?<height>[1-9]\\d{0,3})/(?<item>${segment})/(?<size>${segment})/(?<color>${segment})(?:/(?<angle>${segment}))?` +
    `/(?<file>(?<material>[1-9]\\d{0,15})/\\d{1,12}-\\d{1,5}x\\d{1,5}\\.(?:png|jpg))` +
    `(?:\\.(?<adjustment>${number}[+-]${number}[+-]${number}))?\\.(?<ext>${pictureFormats.join('|')})$`,
);

/**
 * Reads the part of an image URL behind `/images/v1/`. Null when it is none. The greedy angle never swallows the file:
 * a file has a slash of its own and an angle must be followed by one.
 */
export function parseImagePath(path: string, printed: boolean): PictureRequest | null {
  const groups = imagePathPattern.exec(path)?.groups;
  if (!groups) return null;
  return {
    width: Number(groups.width),
    height: Number(groups.height),
    itemName: groups.item!,
    size: groups.size!,
    color: groups.color!,
    angle: groups.angle ?? null,
    materialId: Number(groups.material),
    filePath: groups.file!,
    adjustment: groups.adjustment ?? null,
    format: groups.ext as PictureFormat,
    printed,
  };
}

/**
 * Where a picture is stored: everything its address says but the garment's size, which is not visible. All pictures of
 * a material lie below `pictures/{materialId}/`, and below `adjusted/{materialId}/` those that a client has adjusted, of
 * which there is no end.
 */
export function pictureKey(it: PictureRequest): string {
  const isAdjusted = it.printed && it.adjustment !== null;
  const print = it.printed ? `printed${isAdjusted ? `.${it.adjustment}` : ''}` : 'blank';
  return `${isAdjusted ? 'adjusted' : 'pictures'}/${it.filePath}/${it.width}x${it.height}/${it.itemName}/${it.color}/${it.angle ?? 'default'}.${print}.${it.format}`;
}
