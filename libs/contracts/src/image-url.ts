import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { imageFormats, type ImageFormat, type ImageRequest } from './messages/material-rendering.js';

/**
 * Image URLs are a contract: the catalogue writes them, the gateway checks them, clients fill in their templates.
 *
 *     {base}/images/v1/{width}x{height}/{item}/{size}/{color}[/{angle}]/{filePath}[.{adjustment}].{ext}?h={hash}&printed={printed}[&v={revision}]
 *
 * with `filePath` = `{materialId}/{uploadedAt, epoch seconds}-{width}x{height}.{png|jpg}`. The revision is part of what is
 * asked for and of the key that an image is stored under, and not of what is signed: docs/adr/0007.
 */
export const imagePath = '/images/v1';

/** The sizes that are drawn, as `{width}x{height}`, unless an operator allows others. */
export const defaultImageSizes = ['323x323', '500x500', '765x765', '1024x1024', '1530x1530'] as const;

interface UploadedImage {
  readonly materialId: number;
  readonly uploadedAt: Date;
  readonly originalWidth: number;
  readonly originalHeight: number;
  /** The format of the upload: photographs keep `jpg`, everything else is named `png`. */
  readonly format: string;
}

/** `12/1763629200-2000x1000.png` */
export function filePathOf(it: UploadedImage): string {
  const epoch = Math.floor(it.uploadedAt.getTime() / 1000);
  const extension = it.format === 'jpeg' ? 'jpg' : 'png';
  return `${it.materialId}/${epoch}-${it.originalWidth}x${it.originalHeight}.${extension}`;
}

/**
 * The signature `h` of a material's images: 40 hexadecimal digits, the same for all sizes and colours of its published
 * products and of items without a product.
 */
export const signFilePath = (filePath: string, secret: string): string =>
  createHmac('sha256', secret).update(filePath).digest('hex').slice(0, 40);

/**
 * The signature `h` of the images of one unpublished product: of the same form, and valid for its item alone. A file path
 * has no space, so this signature is never one of a file path.
 */
export const signDraft = (filePath: string, itemName: string, secret: string): string =>
  signFilePath(`${filePath} ${itemName}`, secret);

/** The signature of an adjusted image, which a client may derive from the plain one. */
export const signAdjustment = (hash: string, adjustment: string): string =>
  createHash('sha1').update(`${hash} ${adjustment}`).digest('hex');

/**
 * Returns the request that `hash` permits: of a draft when it is the signature of the product, of a published product when
 * it is that of the material. Null for every other hash; compared in constant time.
 */
export function signedRequest(image: ImageRequest, hash: string, secret: string): ImageRequest | null {
  const { filePath, itemName, adjustment } = image;
  const given = Buffer.from(hash);
  const isSignedBy = (plain: string): boolean => {
    const expected = Buffer.from(adjustment === null ? plain : signAdjustment(plain, adjustment));
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  if (isSignedBy(signFilePath(filePath, secret))) return { ...image, draft: false };
  return isSignedBy(signDraft(filePath, itemName, secret)) ? { ...image, draft: true } : null;
}

interface ImageTarget {
  readonly base: string;
  readonly itemName: string;
  readonly filePath: string;
  readonly hash: string;
  /** The revision of the product's images. Those that never changed have revision 0 and an address without it. */
  readonly revision?: number | undefined;
}

const queryOf = ({ hash, revision = 0 }: ImageTarget): string =>
  `h=${hash}&printed=true${revision > 0 ? `&v=${revision}` : ''}`;

/** The template of a product's images: `{width}x{height}`, `{size}/{color}` and `[/angle]` stay open. */
export const imageUrlTemplate = (it: ImageTarget): string =>
  `${it.base}${imagePath}/{width}x{height}/${it.itemName}/{size}/{color}[/angle]/${it.filePath}.webp?${queryOf(it)}`;

export interface FilledImage extends ImageTarget {
  readonly width: number;
  readonly height: number;
  readonly size: string;
  readonly color: string;
  readonly angle: string | null;
  readonly format: ImageFormat;
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
    `(?:\\.(?<adjustment>${number}[+-]${number}[+-]${number}))?\\.(?<ext>${imageFormats.join('|')})$`,
);

/** The parameters of an image URL that select the image. Values come from a client and may be anything. */
export interface ImageQuery {
  readonly printed?: unknown;
  readonly v?: unknown;
}

/** As the catalogue writes it; an address with any other `v` is one without. */
const revisionPattern = /^[1-9]\d{0,8}$/;

const revisionOf = (v: unknown): number => (typeof v === 'string' && revisionPattern.test(v) ? Number(v) : 0);

/**
 * Reads the part of an image URL behind `/images/v1/`. Null when it is none. The greedy angle never swallows the file:
 * a file has a slash of its own and an angle must be followed by one. Only the signature shows that a draft is requested,
 * see `signedRequest`.
 */
export function parseImagePath(path: string, { printed, v }: ImageQuery = {}): ImageRequest | null {
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
    format: groups.ext as ImageFormat,
    printed: printed !== 'false',
    revision: revisionOf(v),
    draft: false,
  };
}

/**
 * The blob key of an image that is drawn before the first request: all of its address but the garment's size, which is
 * not visible. The images of a material are stored below `images/{materialId}/`. Behind the file come the item, `draft` for
 * an image of an unpublished product, and the revision of the images, see `storedImageOf`.
 */
export const imageKey = (it: ImageRequest): string => `images/${nameInMaterial(it)}`;

/**
 * The blob key of an image that is drawn because a client asked for it, adjusted ones among them, of which there is no end:
 * the same below `drawn/{materialId}/`.
 */
export const drawnKey = (it: ImageRequest): string => `drawn/${nameInMaterial(it)}`;

/** The blob key of an item without a print: it shows nothing of a material, so all materials share it. */
export const blankKey = ({ itemName, width, height, color, angle, format }: ImageRequest): string =>
  `blanks/${itemName}/${width}x${height}/${color}/${angle ?? 'default'}.${format}`;

/** Folders of the blob store whose images are deleted when they are the least recently used ones: docs/adr/0019. */
export const evictedFolders = ['drawn', 'blanks'] as const;

/** Whether a blob key is one of `drawnKey` or `blankKey`. */
export const isEvicted = (key: string): boolean => evictedFolders.some((folder) => key.startsWith(`${folder}/`));

function nameInMaterial(it: ImageRequest): string {
  const print = it.printed ? `printed${it.adjustment === null ? '' : `.${it.adjustment}`}` : 'blank';
  const folder = `${it.filePath}/${it.itemName}/${it.draft ? 'draft/' : ''}${it.revision}`;
  return `${folder}/${it.width}x${it.height}/${it.color}/${it.angle ?? 'default'}.${print}.${it.format}`;
}

/** The tag that caches know all images of a material by. */
export const imageTag = (materialId: number): string => `material-${materialId}`;

/** Pattern of the paths of all images of a material, below the base; `*` stands for any characters. */
export const imagePathsOf = (materialId: number): string => `${imagePath}/*/${materialId}/*`;

/** A stored image, as its key describes it. */
interface StoredImage {
  readonly filePath: string;
  readonly itemName: string;
  readonly draft: boolean;
  readonly revision: number;
}

/** Reads a key written by `imageKey` or `drawnKey`; null for every other key of a material. */
export function storedImageOf(key: string): StoredImage | null {
  const [, material, file, itemName, ...rest] = key.split('/');
  const draft = rest[0] === 'draft';
  const [revision, size] = draft ? rest.slice(1) : rest;
  if (itemName === undefined || size === undefined) return null;
  return { filePath: `${material}/${file}`, itemName, draft, revision: Number(revision) };
}
