import sharp from 'sharp';
import type { z } from 'zod';
import type { ItemListResponse } from '#contracts';
import type { LoadResponse } from './client.js';
import { Random } from './random.js';

type Item = z.output<typeof ItemListResponse>['items'][number];

/** Textures and items of the materials that the load creates. */
export interface Goods {
  /** Data URIs. Few, so that the blob store, which stores equal textures once, does not grow. */
  readonly textures: readonly string[];
  readonly itemIds: readonly number[];
  /** Item that supports two resize modes. */
  readonly fillableId: number;
}

const textureCount = 3;
const itemCount = 4;
/** Names of items that support two resize modes; GET /items does not state this. */
export const fillable: ReadonlySet<string> = new Set(['smartphone-case', 'note', 'full-graphic-t-shirt']);

/** Returns the approximate number of images rendered ahead for a product. */
const imagesOf = ({ colorsCount, essentialAngles }: Item): number => colorsCount * essentialAngles.length;

/** Returns the ids of the items with the fewest images, because rendering is expensive. */
const cheapest = (items: readonly Item[], count: number): number[] =>
  items
    .toSorted((one, other) => imagesOf(one) - imagesOf(other))
    .slice(0, count)
    .map(({ id }) => id);

const isFillable = ({ name }: Item): boolean => fillable.has(name);

async function drawTexture(random: Random): Promise<string> {
  const [r, g, b] = [random.below(256), random.below(256), random.below(256)];
  const png = await sharp({ create: { width: 320, height: 240, channels: 3, background: { r, g, b } } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** Selects items and draws textures. @param items response of GET /items */
export async function selectGoods(items: LoadResponse | undefined, seed: number): Promise<Goods> {
  if (items?.outcome !== 200) throw new Error(`GET /items returned ${items?.outcome ?? 'nothing'}`);
  const printable = (items.body as z.output<typeof ItemListResponse>).items.filter(({ isEmbroidery }) => !isEmbroidery);
  const itemIds = [
    ...cheapest(printable.filter(isFillable), 1),
    ...cheapest(
      printable.filter((it) => !isFillable(it)),
      itemCount - 1,
    ),
  ];
  if (itemIds.length < itemCount) throw new Error('the catalog has too few items');
  const random = new Random(seed);
  const textures = await Promise.all(Array.from({ length: textureCount }, () => drawTexture(random)));
  return { itemIds, fillableId: itemIds[0]!, textures };
}
