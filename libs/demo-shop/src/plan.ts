import type { ResizeMode } from '#contracts';

/** A product of the demo: the item, and a color if the default color does not suit the artwork. */
interface PlannedProduct {
  readonly item: string;
  readonly color?: string;
  readonly resizeMode?: ResizeMode;
}

export interface PlannedMaterial {
  readonly file: string;
  readonly title: string;
  readonly price: number;
  readonly products: readonly PlannedProduct[];
}

/**
 * Materials of the demo: every kind of surface, light and dark cloth, wraps and all-over prints.
 */
export const plan: readonly PlannedMaterial[] = [
  {
    file: 'lighthouse-badge.png',
    title: 'Lighthouse',
    price: 500,
    products: [
      { item: 't-shirt' },
      { item: 'hoodie', color: 'navy' },
      { item: 'can-badge' },
      { item: 'sticker' },
      { item: 'mug' },
    ],
  },
  {
    file: 'slow-is-still-moving.png',
    title: 'Slow is still moving',
    price: 300,
    products: [{ item: 't-shirt', color: 'natural' }, { item: 'tote-bag' }, { item: 'clear-file' }],
  },
  {
    file: 'wave-wrap.png',
    title: '波 Wave',
    price: 400,
    products: [{ item: 'mug' }, { item: 'thermo-tumbler' }],
  },
  {
    file: 'dusk-sea.jpg',
    title: 'Dusk at the sea',
    price: 800,
    products: [
      { item: 'full-graphic-t-shirt', resizeMode: 'cover' },
      { item: 'smartphone-case', resizeMode: 'cover' },
      { item: 'note', resizeMode: 'cover' },
    ],
  },
  {
    file: 'sleeping-cat-line.png',
    title: '眠り猫',
    price: 200,
    products: [
      { item: 'sweat', color: 'oatmeal' },
      { item: 'tote-bag' },
      { item: 'baby-bib' },
      { item: 'big-t-shirt' },
    ],
  },
  {
    file: 'mikan-pattern.png',
    title: 'みかん模様',
    price: 100,
    products: [{ item: 'towel-handkerchief' }, { item: 'bandana' }, { item: 'cushion' }],
  },
  {
    file: 'pixel-onigiri.png',
    title: 'ドットおにぎり',
    price: 150,
    products: [
      { item: 't-shirt', color: 'black' },
      { item: 'acrylic-keychain' },
      { item: 'acrylic-block' },
      { item: 'sticker' },
    ],
  },
  {
    file: 'do-nothing-japanese.png',
    title: '何もしない',
    price: 250,
    products: [{ item: 'long-sleeve-t-shirt' }, { item: 'sacoche' }],
  },
];
