import {
  blankKey,
  drawnKey,
  imageKey,
  type ImageFormat,
  type ImageRequest,
  type ImageSource,
  storedImageOf,
} from '#contracts';

type SourceProduct = ImageSource['products'][number];

/** What has to be drawn for an image: everything but the pixels of the prints. */
export interface Drawing {
  readonly itemName: string;
  readonly angle: string;
  readonly width: number;
  readonly height: number;
  readonly rgb: string;
  readonly prints: readonly { readonly place: string; readonly textureHash: string }[];
  readonly resizeMode: SourceProduct['resizeMode'];
  readonly adjustment: string | null;
  readonly format: ImageFormat;
}

/**
 * Finds what an image shows. Null when the material has no such image: it has another file by now, or the item, its
 * colour or angle is not one of the material's. An angle that is left out is the representative one. The garment's size
 * is not visible, so any is right: an image that is stored is answered without knowing the sizes.
 */
export function drawingOf(source: ImageSource, request: ImageRequest): Drawing | null {
  if (request.filePath !== source.filePath || request.materialId !== source.materialId) return null;
  const product = source.products.find(({ itemName }) => itemName === request.itemName);
  const color = product?.colors.find(({ name }) => name === request.color);
  const angle = request.angle ?? product?.sample.angle;
  if (!product || !color || !angle) return null;
  if (!product.angles.includes(angle)) return null;
  const { itemName, width, height, printed, format } = request;
  const prints = printed ? printsOf(product, source.textureHash) : [];
  const adjustment = printed ? request.adjustment : null;
  return { itemName, angle, width, height, rgb: color.rgb, prints, resizeMode: product.resizeMode, adjustment, format };
}

/** An image as a material has it now: what is drawn, and the key of its revision that it is stored under. */
export interface CurrentImage {
  readonly key: string;
  readonly drawing: Drawing;
}

/**
 * The image that a request is answered with: of the material's current revision, whichever the request names. Key and
 * drawing come from one state of the material, so that no drawing of an older state is stored under a newer revision. The
 * address of a draft leads to the public image once the product is published.
 *
 * @returns null when the material has no such image, see `drawingOf`, and for an unpublished product without its signature
 */
export function currentImage(source: ImageSource, request: ImageRequest): CurrentImage | null {
  const drawing = drawingOf(source, request);
  const product = source.products.find(({ itemName }) => itemName === request.itemName);
  if (drawing === null || product === undefined) return null;
  const { revision, published } = product;
  if (!published && !request.draft) return null;
  const image = { ...request, revision, draft: !published };
  return { key: request.printed ? keyOf(image, source, product) : blankKey(image), drawing };
}

/** An image that is prepared has its key also when a client was faster than the event. */
function keyOf(image: ImageRequest, source: ImageSource, product: SourceProduct): string {
  const key = imageKey(image);
  return preparedOf(source, product).some((it) => imageKey(it) === key) ? key : drawnKey(image);
}

/** Pixels of the largest image that lists show: 765 x 765. */
const listPixels = 765 ** 2;

/**
 * How much memory a drawing needs, in images of a list: one of 1530 x 1530 counts as four. The encoder of AVIF takes
 * four times as much as the others.
 */
export function weightOf({ width, height, format }: Pick<Drawing, 'width' | 'height' | 'format'>): number {
  // A close-up is drawn as a square of the longer edge
  const pixels = Math.max(width, height) ** 2;
  return Math.ceil(((format === 'avif' ? 4 : 1) * pixels) / listPixels);
}

/** The material lies on the default place; a side with an image of its own shows that one, also on the default place. */
function printsOf(product: SourceProduct, textureHash: string): Drawing['prints'] {
  const own = product.prints.some(({ place }) => place === product.defaultPrintPlace);
  return own ? product.prints : [{ place: product.defaultPrintPlace, textureHash }, ...product.prints];
}

/** Pixels of the images whose URLs the catalogue publishes, and of the small one of a card in a list. */
const sampleSide = 500;
const cardSide = 323;

/**
 * The images that are drawn before anybody asks: those that are seen first. Of published products the ones whose URLs the
 * catalogue publishes (the representative variant from each essential angle as WebP, and from the representative angle as
 * PNG) and the one of a card; of the others the one sample that the owner sees in the response. Every other image is drawn
 * when it is asked for. The main samples come first, the published ones before the others.
 */
export function imagesToPrepare(source: ImageSource): ImageRequest[] {
  const published = source.products.filter((product) => product.published);
  const others = source.products.filter((product) => !product.published);
  const wanted = [
    ...published.map((product) => sampleOf(source, product)),
    ...published.flatMap((product) => shownBeside(source, product)),
    ...others.map((product) => sampleOf(source, product)),
  ];
  // By key: the essential angles may contain the representative one, and a key is an image
  return [...new Map(wanted.map((image) => [imageKey(image), image])).values()];
}

/** The images of one product among those of `imagesToPrepare`. */
function preparedOf(source: ImageSource, product: SourceProduct): ImageRequest[] {
  const sample = sampleOf(source, product);
  return product.published ? [sample, ...shownBeside(source, product)] : [sample];
}

function sampleOf(source: ImageSource, product: SourceProduct, side = sampleSide): ImageRequest {
  return { ...plain(source, product, side), ...product.sample, format: 'webp' };
}

function shownBeside(source: ImageSource, product: SourceProduct): ImageRequest[] {
  const sample = sampleOf(source, product);
  return [
    ...product.essentialAngles.map((angle) => ({ ...sample, angle })),
    { ...sample, format: 'png' },
    sampleOf(source, product, cardSide),
  ];
}

const plain = (
  { materialId, filePath }: ImageSource,
  { itemName, revision, published }: SourceProduct,
  side: number,
) => ({
  width: side,
  height: side,
  itemName,
  revision,
  draft: !published,
  materialId,
  filePath,
  adjustment: null,
  printed: true,
});

/**
 * Whether a stored image is none of the material's state: of another file, a missing item or an older revision, a public one
 * of an unpublished product or a draft of a published one.
 */
export function isOutdated(key: string, source: ImageSource): boolean {
  const stored = storedImageOf(key);
  if (stored === null) return false;
  if (stored.filePath !== source.filePath) return true;
  const product = source.products.find(({ itemName }) => itemName === stored.itemName);
  if (product === undefined || stored.draft === product.published) return true;
  // A newer revision than this state has is of a change that was made since
  return !(stored.revision >= product.revision);
}

/**
 * Names of the items that are drawn otherwise in two states of a material although their revision is the same: their
 * colours or angles in the catalogue have changed.
 */
export function redefinedItems(before: ImageSource, after: ImageSource): string[] {
  const known = new Map(before.products.map((product) => [product.itemName, product]));
  return after.products
    .filter((product) => {
      const other = known.get(product.itemName);
      return other?.revision === product.revision && looksOf(other) !== looksOf(product);
    })
    .map(({ itemName }) => itemName);
}

/** To compare: an image shows nothing of whether its product is published. */
const looksOf = (product: SourceProduct): string => JSON.stringify({ ...product, published: undefined });
