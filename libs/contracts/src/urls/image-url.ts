import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { imageFormats, type ImageFormat, type ImageRequest } from '../messages/material-rendering.js';

/**
 * Format of image URLs. catalog writes them, the gateway verifies them, clients fill in the
 * templates.
 *
 *     {base}/images/v1/{width}x{height}/{item}/{size}/{color}[/{angle}]
 *       /{filePath}[.{adjustment}].{ext}?h={hash}&printed={printed}[&v={revision}][&proof=true]
 *
 * with `filePath` = `{materialId}/{uploadedAt, epoch seconds}-{width}x{height}.{png|jpg}`. Revision
 * and soft proof are part of the request and of the blob key, but are not signed: docs/adr/0007.
 */
export const imagePath = '/images/v1';

/** Default of IMAGE_SIZES: the sizes that are rendered, as `{width}x{height}`. */
export const defaultImageSizes = ['323x323', '500x500', '765x765', '1024x1024', '1530x1530'] as const;

interface UploadedImage {
  readonly materialId: number;
  readonly uploadedAt: Date;
  readonly originalWidth: number;
  readonly originalHeight: number;
  /** Format of the upload. JPEG has the extension `jpg`, every other format `png`. */
  readonly format: string;
}

/** Returns the file path of a material, such as `12/1763629200-2000x1000.png`. */
export function filePathOf(it: UploadedImage): string {
  const epoch = Math.floor(it.uploadedAt.getTime() / 1000);
  const extension = it.format === 'jpeg' ? 'jpg' : 'png';
  return `${it.materialId}/${epoch}-${it.originalWidth}x${it.originalHeight}.${extension}`;
}

/**
 * Returns the signature `h` of a material's images: 40 hexadecimal digits, the same for all sizes
 * and colors of its published products and of items without a product.
 */
export const signFilePath = (filePath: string, secret: string): string =>
  createHmac('sha256', secret).update(filePath).digest('hex').slice(0, 40);

/**
 * Returns the signature `h` of the images of one unpublished product, in the same format and valid
 * for its item only. A file path has no space, so no file path has this signature.
 */
export const signDraft = (filePath: string, itemName: string, secret: string): string =>
  signFilePath(`${filePath} ${itemName}`, secret);

/**
 * Returns the signature of an image whose URL has an adjustment (scale and offset of the print).
 * Clients can derive it: `hash` is the signature without the adjustment, and no secret is needed.
 */
export const signAdjustment = (hash: string, adjustment: string): string =>
  createHash('sha1').update(`${hash} ${adjustment}`).digest('hex');

/**
 * Returns the request that `hash` permits: of a draft if `hash` is the signature of the product, of
 * a published product if it is the signature of the material. Null for every other hash. Signatures
 * are compared in constant time.
 */
export function verifySignature(image: ImageRequest, hash: string, secret: string): ImageRequest | null {
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
  /** Revision of the product's images. 0 before the first change: the URL then has no `v`. */
  readonly revision?: number | undefined;
}

const queryOf = ({ hash, revision = 0 }: ImageTarget): string =>
  `h=${hash}&printed=true${revision > 0 ? `&v=${revision}` : ''}`;

/**
 * Returns the URL template of a product's images with `{width}x{height}`, `{size}/{color}` and
 * `[/angle]`.
 */
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

/** Returns the URL template in which only base URL and item are filled in. */
export const itemImageUrlTemplate = (base: string, itemName: string): string =>
  `${base}${imagePath}/{width}x{height}/${itemName}/{size}/{color}[/angle]/{filePath}[.{adjustment}].{ext}?h={hash}&printed={printed}`;

/**
 * Name of an item, size, color or angle. At most 64 characters, because blob keys contain all but
 * the size as names of folders and files.
 */
const segment = '[a-z0-9][a-z0-9-]{0,63}';
const number = String.raw`\d{1,4}\.\d{1,5}`;
/** Path of an image URL after `/images/v1/`. */
// eslint-disable-next-line no-restricted-syntax -- tested by patterns.spec.ts
export const imagePathPattern = new RegExp(
  `^(?<width>[1-9]\\d{0,3})x(?<height>[1-9]\\d{0,3})/(?<item>${segment})/(?<size>${segment})/(?<color>${segment})(?:/(?<angle>${segment}))?` +
    `/(?<file>(?<material>[1-9]\\d{0,15})/\\d{1,12}-\\d{1,5}x\\d{1,5}\\.(?:png|jpg))` +
    `(?:\\.(?<adjustment>${number}[+-]${number}[+-]${number}))?\\.(?<ext>${imageFormats.join('|')})$`,
);

/** Query parameters of an image URL that select the image. Unvalidated input of a client. */
export interface ImageQuery {
  readonly printed?: unknown;
  readonly v?: unknown;
  readonly proof?: unknown;
}

/** Format of `v` as catalog writes it. Any other `v` is ignored. */
const revisionPattern = /^[1-9]\d{0,8}$/;

/** Returns the revision or version `v` of a URL; 0 if it is missing or invalid. */
export const revisionOf = (v: unknown): number => (typeof v === 'string' && revisionPattern.test(v) ? Number(v) : 0);

/** Values of `proof`. Without it an image is no soft proof. */
const proofs: ReadonlyMap<unknown, boolean> = new Map([
  [undefined, false],
  ['false', false],
  ['true', true],
]);

/**
 * Parses the path of an image URL after `/images/v1/`. Returns null for any other path, and for an
 * invalid `proof`: an image in other colors than requested would look like a soft proof. The
 * optional angle never matches the material id, because a complete file path follows the angle.
 * `draft` is always false here: only the signature identifies an image of an unpublished product,
 * see `verifySignature`.
 */
export function parseImagePath(path: string, { printed, v, proof }: ImageQuery = {}): ImageRequest | null {
  const groups = imagePathPattern.exec(path)?.groups;
  const isProof = proofs.get(proof);
  if (!groups || isProof === undefined) return null;
  const isPrinted = printed !== 'false';
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
    printed: isPrinted,
    proof: isPrinted && isProof,
    revision: revisionOf(v),
    draft: false,
  };
}

/**
 * Returns the blob key of an image that is rendered before the first request. The key contains all
 * parameters of the URL except the signature and the size of the garment, which is not visible. The
 * images of a material are stored below `images/{materialId}/`. The file path is followed by the
 * item, `draft` for an image of an unpublished product, and the revision, see `storedImageOf`.
 */
export const imageKey = (it: ImageRequest): string => `images/${nameInMaterial(it)}`;

/**
 * Returns the blob key of an image that is rendered on request, below `drawn/{materialId}/`.
 * Adjusted images are among them, so their number is unlimited.
 */
export const onDemandKey = (it: ImageRequest): string => `drawn/${nameInMaterial(it)}`;

/**
 * Returns the blob key of an image without a print. It is independent of the material, so all
 * materials share it.
 */
export const blankKey = ({ itemName, width, height, color, angle, format }: ImageRequest): string =>
  `blanks/${itemName}/${width}x${height}/${color}/${angle ?? 'default'}.${format}`;

/** Folders of the blob store whose least recently used images are evicted: docs/adr/0019. */
export const evictedFolders = ['drawn', 'blanks'] as const;

/** Returns true for blob keys written by `onDemandKey` or `blankKey`. */
export const isEvicted = (key: string): boolean => evictedFolders.some((folder) => key.startsWith(`${folder}/`));

function nameInMaterial(it: ImageRequest): string {
  const colors = it.proof ? 'proof' : 'printed';
  const print = it.printed ? `${colors}${it.adjustment === null ? '' : `.${it.adjustment}`}` : 'blank';
  const folder = `${it.filePath}/${it.itemName}/${it.draft ? 'draft/' : ''}${it.revision}`;
  return `${folder}/${it.width}x${it.height}/${it.color}/${it.angle ?? 'default'}.${print}.${it.format}`;
}

/** Returns the cache tag of all images of a material. */
export const imageTag = (materialId: number): string => `material-${materialId}`;

/**
 * Returns the path pattern of all images of a material below the base URL; `*` matches any
 * characters.
 */
export const imagePathsOf = (materialId: number): string => `${imagePath}/*/${materialId}/*`;

/** Parts of the key of a stored image. */
interface StoredImage {
  readonly filePath: string;
  readonly itemName: string;
  readonly draft: boolean;
  readonly revision: number;
}

/**
 * Parses a key written by `imageKey` or `onDemandKey`; returns null for every other key of a
 * material.
 */
export function storedImageOf(key: string): StoredImage | null {
  const [, material, file, itemName, ...rest] = key.split('/');
  const draft = rest[0] === 'draft';
  const [revision, size] = draft ? rest.slice(1) : rest;
  if (itemName === undefined || size === undefined) return null;
  return { filePath: `${material}/${file}`, itemName, draft, revision: Number(revision) };
}
