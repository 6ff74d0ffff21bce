import { pictureKey, type PictureFormat, type PictureRequest, type PictureSource } from '#contracts';

type SourceProduct = PictureSource['products'][number];

/** What has to be drawn for a picture: everything but the pixels of the prints. */
export interface Drawing {
  readonly itemName: string;
  readonly angle: string;
  readonly width: number;
  readonly height: number;
  readonly rgb: string;
  readonly prints: readonly { readonly place: string; readonly textureHash: string }[];
  readonly resizeMode: SourceProduct['resizeMode'];
  readonly adjustment: string | null;
  readonly format: PictureFormat;
}

/**
 * Finds what a picture shows. Null when the material has no such picture: it has another file by now, or the item, its
 * colour or angle is not one of the material's. An angle that is left out is the representative one. The garment's size
 * is not visible, so any is right: a picture that is stored is answered without knowing the sizes.
 */
export function drawingOf(source: PictureSource, request: PictureRequest): Drawing | null {
  if (request.filePath !== source.filePath || request.materialId !== source.materialId) return null;
  const product = source.products.find(({ itemName }) => itemName === request.itemName);
  const color = product?.colors.find(({ name }) => name === request.color);
  const angle = request.angle ?? product?.sample.angle;
  if (!product || !color || !angle) return null;
  if (!product.angles.includes(angle)) return null;
  const { itemName, width, height, adjustment, format } = request;
  const prints = request.printed ? printsOf(product, source.textureHash) : [];
  return { itemName, angle, width, height, rgb: color.rgb, prints, resizeMode: product.resizeMode, adjustment, format };
}

/** Pixels of the largest picture that lists show: 765 x 765. */
const listPixels = 765 ** 2;

/**
 * How much memory a drawing needs, in pictures of a list: one of 1530 x 1530 counts as four. The encoder of AVIF takes
 * four times as much as the others.
 */
export function weightOf({ width, height, format }: Pick<Drawing, 'width' | 'height' | 'format'>): number {
  // A close-up is drawn as a square of the longer edge
  const pixels = Math.max(width, height) ** 2;
  return Math.ceil(((format === 'avif' ? 4 : 1) * pixels) / listPixels);
}

/** The material lies on the default place; a side with a picture of its own shows that one, also on the default place. */
function printsOf(product: SourceProduct, textureHash: string): Drawing['prints'] {
  const own = product.prints.some(({ place }) => place === product.defaultPrintPlace);
  return own ? product.prints : [{ place: product.defaultPrintPlace, textureHash }, ...product.prints];
}

/** Pixels of the pictures that lists show of every product, and of the small ones that a choice of colours shows. */
const sampleSide = 500;
const colourSide = 323;

/**
 * The pictures of a new material that are drawn before anybody asks. For each product, in this order: the pictures
 * whose URLs the catalogue publishes (the representative variant from each essential angle as WebP, and from the
 * representative angle as PNG), then every colour from each essential angle, small.
 */
export function picturesToPrepare(source: PictureSource): PictureRequest[] {
  const samples = source.products.flatMap((product) => samplesOf(source, product));
  const colours = source.products.flatMap((product) => coloursOf(source, product));
  // By key: the essential angles may contain the representative one, and a key is a picture
  return [...new Map([...samples, ...colours].map((picture) => [pictureKey(picture), picture])).values()];
}

function samplesOf(source: PictureSource, product: SourceProduct): PictureRequest[] {
  const { size, color, angle } = product.sample;
  const sample = { ...plain(source, product.itemName, sampleSide), size, color };
  return [
    { ...sample, angle, format: 'webp' },
    { ...sample, angle, format: 'png' },
    ...product.essentialAngles.map((each) => ({ ...sample, angle: each, format: 'webp' as const })),
  ];
}

function coloursOf(source: PictureSource, product: SourceProduct): PictureRequest[] {
  const picture = { ...plain(source, product.itemName, colourSide), size: product.sample.size };
  return product.colors.flatMap(({ name: color }) =>
    product.essentialAngles.map((angle) => ({ ...picture, color, angle, format: 'webp' as const })),
  );
}

const plain = ({ materialId, filePath }: PictureSource, itemName: string, side: number) => ({
  width: side,
  height: side,
  itemName,
  materialId,
  filePath,
  adjustment: null,
  printed: true,
});

/** The item that a stored picture shows, see `pictureKey`; undefined when the key is none of a picture. */
export const itemOfKey = (key: string): string | undefined => key.split('/')[4];

/** Names of the items whose pictures differ between two states of a material; `all` when its file is another one. */
export function changedItems(before: PictureSource, after: PictureSource): 'all' | string[] {
  if (before.filePath !== after.filePath || before.textureHash !== after.textureHash) return 'all';
  const known = new Map(before.products.map((product) => [product.itemName, JSON.stringify(product)]));
  const same = new Set(
    after.products.filter((product) => known.get(product.itemName) === JSON.stringify(product)).map(nameOf),
  );
  return [...new Set([...before.products, ...after.products].map(nameOf))].filter((name) => !same.has(name));
}

const nameOf = ({ itemName }: SourceProduct): string => itemName;
