import sharp from 'sharp';
import type { z } from 'zod';
import type { ItemListResponse } from '#contracts';
import type { Answered } from './client.js';
import { Random } from './random.js';

type Item = z.output<typeof ItemListResponse>['items'][number];

/** What materials are made of. */
export interface Goods {
  /** Data URIs. Few, so that what is stored by its content does not grow. */
  readonly textures: readonly string[];
  readonly itemIds: readonly number[];
  /** The one of them whose images may be laid in in two ways. */
  readonly fillableId: number;
}

const textureCount = 3;
const itemCount = 4;
/** The items that may be laid in in two ways: GET /items does not say it. */
export const fillable: ReadonlySet<string> = new Set(['smartphone-case', 'note', 'full-graphic-t-shirt']);

/** How many images a product of it has drawn before anybody asks, about. */
const imagesOf = ({ colorsCount, essentialAngles }: Item): number => colorsCount * essentialAngles.length;

/** Those whose images cost least: the load is to make many materials, not many images. */
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

/** @param items the answer of GET /items */
export async function gatherGoods(items: Answered | undefined, seed: number): Promise<Goods> {
  if (items?.ending !== 200) throw new Error(`GET /items was answered ${items?.ending ?? 'never'}`);
  const printable = (items.body as z.output<typeof ItemListResponse>).items.filter(({ isEmbroidery }) => !isEmbroidery);
  const itemIds = [
    ...cheapest(printable.filter(isFillable), 1),
    ...cheapest(
      printable.filter((it) => !isFillable(it)),
      itemCount - 1,
    ),
  ];
  if (itemIds.length < itemCount) throw new Error('the catalogue has too few items');
  const random = new Random(seed);
  const textures = await Promise.all(Array.from({ length: textureCount }, () => drawTexture(random)));
  return { itemIds, fillableId: itemIds[0]!, textures };
}
