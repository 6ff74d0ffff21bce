import {
  blankKey,
  onDemandKey,
  imageKey,
  type ImageFormat,
  type ImageRequest,
  type ImageSource,
  storedImageOf,
} from '#contracts';

type SourceProduct = ImageSource['products'][number];

/** Print of an image. `proof`: in the colors of its printer. */
type SpecPrint = SourceProduct['prints'][number] & { readonly proof?: true };

/** Parameters of an image: everything that determines it except the pixels of its textures. */
export interface RenderSpec {
  readonly itemName: string;
  readonly angle: string;
  readonly width: number;
  readonly height: number;
  readonly rgb: string;
  readonly prints: readonly SpecPrint[];
  readonly resizeMode: SourceProduct['resizeMode'];
  readonly adjustment: string | null;
  readonly format: ImageFormat;
  /** Blob and width / height of an artwork without a row, that of a preview. */
  readonly blob?: { readonly key: string; readonly aspect: number };
  /** True when more images of the same artwork are requested. */
  readonly oneOfMany?: boolean;
  /** SHA-256 of the packed layers in the blob store. Missing = layers that ship. */
  readonly layers?: string;
}

/**
 * Returns the parameters of a requested image. Null when the material has no such image: its file
 * has changed, or the item, color or angle is not one of the material's. A request without an
 * angle gets the representative one. The size of a garment is not visible and not validated, so
 * that a stored image is found without the list of sizes.
 */
export function renderSpecOf(source: ImageSource, request: ImageRequest): RenderSpec | null {
  if (request.filePath !== source.filePath || request.materialId !== source.materialId) return null;
  const product = source.products.find(({ itemName }) => itemName === request.itemName);
  const color = product?.colors.find(({ name }) => name === request.color);
  const angle = request.angle ?? product?.sample.angle;
  if (!product || !color || !angle) return null;
  if (!product.angles.includes(angle)) return null;
  const { itemName, width, height, printed, format } = request;
  const prints = printed ? printsOf(product, source.textureHash, request.proof) : [];
  const adjustment = printed ? request.adjustment : null;
  const { resizeMode, layers } = product;
  const spec = { itemName, angle, width, height, rgb: color.rgb, prints, resizeMode, adjustment, format };
  return layers ? { ...spec, layers } : spec;
}

/** Image of a material in its current state: parameters, and the key of the current revision. */
export interface CurrentImage {
  readonly key: string;
  readonly spec: RenderSpec;
}

/**
 * Returns the image for a request: that of the material's current revision, for any revision in the
 * request. Key and parameters come from one state of the material, so that no image of an older
 * state is stored under a newer revision. The URL of a draft leads to the public image once the
 * product is published.
 *
 * @returns null when the material has no such image, see `renderSpecOf`, and for an unpublished
 *   product unless the request is for its draft
 */
export function currentImage(source: ImageSource, request: ImageRequest): CurrentImage | null {
  const spec = renderSpecOf(source, request);
  const product = source.products.find(({ itemName }) => itemName === request.itemName);
  if (spec === null || product === undefined) return null;
  const { revision, published } = product;
  if (!published && !request.draft) return null;
  const image = { ...request, revision, draft: !published };
  // An imported item has versions, and only the revision of a product changes with them
  const isShared = !request.printed && !product.layers;
  return { key: isShared ? blankKey(image) : keyOf(image, source, product), spec };
}

/**
 * Returns the key of a prepared image if the image is one of them, even when a client requests it
 * before the event is consumed; otherwise the key of an image on request.
 */
function keyOf(image: ImageRequest, source: ImageSource, product: SourceProduct): string {
  const key = imageKey(image);
  return preparedImagesOf(source, product).some((it) => imageKey(it) === key) ? key : onDemandKey(image);
}

/** Area of the largest image in lists, in pixels. */
const listImagePixels = 765 ** 2;

/**
 * Returns the memory that rendering an image needs, in multiples of a list image: one of 1530 x
 * 1530 counts as four. The AVIF encoder needs four times as much as the others.
 */
export function weightOf({ width, height, format }: Pick<RenderSpec, 'width' | 'height' | 'format'>): number {
  // A close-up is rendered as a square of the longer edge
  const pixels = Math.max(width, height) ** 2;
  return Math.ceil(((format === 'avif' ? 4 : 1) * pixels) / listImagePixels);
}

/**
 * Returns the product's own prints, and the material's texture on the default place unless one of
 * these prints is on that place. A soft proof has the colors of the profile on places in CMYK.
 * Artwork for other places is printed from RGB, by machines whose profiles are unknown here.
 */
function printsOf(product: SourceProduct, textureHash: string, proof: boolean): RenderSpec['prints'] {
  const own = product.prints.some(({ place }) => place === product.defaultPrintPlace);
  const { defaultPrintPlace: place, placed, cmykPlaces } = product;
  const prints = own ? product.prints : [{ place, textureHash, ...(placed && { placed }) }, ...product.prints];
  return proof ? prints.map((it) => (cmykPlaces.includes(it.place) ? { ...it, proof: true } : it)) : prints;
}

/**
 * Sides in pixels of the images whose URLs the catalog publishes, and of the small image of a
 * card in a list.
 */
const sampleSide = 500;
const cardSide = 323;

/**
 * Returns the images that are rendered ahead of requests. For published products these are the
 * images whose URLs the catalog publishes (the representative variant as WebP from the
 * representative and each essential angle, and as PNG from the representative angle) and the card
 * image. For unpublished products it is the one sample that the owner sees in the response. All
 * other images are rendered on request. The order is: the main samples of published products, their
 * other images, the samples of unpublished products.
 */
export function imagesToPrepare(source: ImageSource): ImageRequest[] {
  const published = source.products.filter((product) => product.published);
  const others = source.products.filter((product) => !product.published);
  const images = [
    ...published.map((product) => sampleOf(source, product)),
    ...published.flatMap((product) => furtherSamplesOf(source, product)),
    ...others.map((product) => sampleOf(source, product)),
  ];
  // Distinct by key, because the essential angles may contain the representative one
  return [...new Map(images.map((image) => [imageKey(image), image])).values()];
}

/** Returns the images of one product among those of `imagesToPrepare`. */
function preparedImagesOf(source: ImageSource, product: SourceProduct): ImageRequest[] {
  const sample = sampleOf(source, product);
  return product.published ? [sample, ...furtherSamplesOf(source, product)] : [sample];
}

function sampleOf(source: ImageSource, product: SourceProduct, side = sampleSide): ImageRequest {
  return { ...baseRequestOf(source, product, side), ...product.sample, format: 'webp' };
}

function furtherSamplesOf(source: ImageSource, product: SourceProduct): ImageRequest[] {
  const sample = sampleOf(source, product);
  return [
    ...product.essentialAngles.map((angle) => ({ ...sample, angle })),
    { ...sample, format: 'png' },
    sampleOf(source, product, cardSide),
  ];
}

const baseRequestOf = (
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
  proof: false,
});

/**
 * Returns whether a stored image does not belong to the material's state: it shows another file, a
 * missing item or an older revision, or it is a public image of an unpublished product or a draft
 * of a published one.
 */
export function isOutdated(key: string, source: ImageSource): boolean {
  const stored = storedImageOf(key);
  if (stored === null) return false;
  if (stored.filePath !== source.filePath) return true;
  const product = source.products.find(({ itemName }) => itemName === stored.itemName);
  if (product === undefined || stored.draft === product.published) return true;
  // An image of a newer revision belongs to a change after this state
  return !(stored.revision >= product.revision);
}

/**
 * Returns the names of items whose products differ between two states of a material although the
 * revision is the same, for example because colors or angles in the catalog have changed. Their
 * stored images may be outdated.
 */
export function redefinedItems(before: ImageSource, after: ImageSource): string[] {
  const previous = new Map(before.products.map((product) => [product.itemName, product]));
  return after.products
    .filter((product) => {
      const other = previous.get(product.itemName);
      return other?.revision === product.revision && appearanceOf(other) !== appearanceOf(product);
    })
    .map(({ itemName }) => itemName);
}

/**
 * Returns a text for comparisons. Publication is excluded because images do not depend on it.
 * Layers that ship are omitted, as in replies of the previous version.
 */
const appearanceOf = (product: SourceProduct): string =>
  JSON.stringify({ ...product, published: undefined, layers: product.layers ?? undefined });
