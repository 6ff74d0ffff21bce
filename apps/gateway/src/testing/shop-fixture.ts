import type { Category, ItemNames, ItemVariant, ProductDetail, User } from '#contracts';
import { baseUrl } from './gateway-stack.js';

/** Products, users and names as services return them, for tests of pages. */

const colors = {
  white: { id: 1, name: 'white', displayName: 'ホワイト', rgb: '#ffffff' },
  navy: { id: 2, name: 'navy', displayName: 'ネイビー', rgb: '#1f2a4a' },
};
const sizes = { s: { id: 1, name: 's', displayName: 'S' }, m: { id: 2, name: 'm', displayName: 'M' } };

const variant = (id: number, size: keyof typeof sizes, color: keyof typeof colors): ItemVariant => ({
  id,
  color: colors[color],
  size: sizes[size],
  price: 2_200,
  priceWithTax: 2_420,
  exemplary: id === 1,
  enabled: true,
  isLightColor: color === 'white',
  isDarkColor: color !== 'white',
  printPlaces: [],
});

/** Navy exists in M only. */
export const variants = [variant(1, 's', 'white'), variant(2, 'm', 'white'), variant(3, 'm', 'navy')];

export const names: ItemNames = {
  items: { 't-shirt': 'Standard T-shirt', mug: 'Mug' },
  colors: { white: 'White', navy: 'Navy' },
  sizes: { s: 'S', m: 'M' },
  categories: { clothes: 'Clothes', kitchen: 'Kitchen' },
  printAreas: {
    't-shirt': [
      { place: 'Front', widthMm: 300, heightMm: 400 },
      { place: 'Back', widthMm: 73.5, heightMm: 1_490 },
    ],
  },
  resizeModes: { 't-shirt': ['cover', 'contain'], mug: ['contain'] },
};

const category = (name: string, items: Category['items']): Category => ({
  name,
  imageUrls: { svg: `${baseUrl}/icons/${items[0]!.name}.svg` },
  items,
});

const item: ProductDetail['item'] = {
  id: 1,
  name: 't-shirt',
  humanizeName: 'スタンダードTシャツ',
  angles: ['front', 'back'],
  displayOrder: 1,
  availablePrintPlaces: ['front'],
  defaultPrintPlace: 'front',
  essentialAngles: ['front'],
  extraAngles: ['back'],
  iconUrls: {},
  wearingImageUrls: {},
  isMultiPrintable: false,
  isEmbroidery: false,
  printPlaceDisplayNames: {},
  printPlaceForExtraAngles: {},
  imageDescriptions: [],
  productImageUrlTemplates: {},
};

/** Categories in which some, all or none of the items have no images. */
const categories: readonly Category[] = [
  category('clothes', [item, { ...item, id: 2, name: 'embroidery-t-shirt', isEmbroidery: true }]),
  category('embroidery', [{ ...item, id: 4, name: 'embroidery-cap', isEmbroidery: true }]),
  category('kitchen', [{ ...item, id: 3, name: 'mug', humanizeName: 'マグカップ' }]),
];

/** Handlers of a front page without products on sale, promotions and banners. */
export const frontHandlers = {
  'items.names': () => names,
  'categories.list': () => ({ categories }),
  'products.on-sale': () => ({ products: [], meta: { hasNext: false } }),
  'promotions.list': () => ({ promotions: [] }),
  'banners.list': () => ({ banners: [] }),
};

const at = '2026-11-20 09:00:00 +0000';
const owner = { id: 1, name: 'Hanako', displayName: '花子', avatarUrl: 'https://elsewhere.example.com/1.png' };

/** Returns a product with overridden fields of product and material. */
export function product(
  id: number,
  more: Partial<ProductDetail> = {},
  material: Partial<ProductDetail['material']> = {},
): ProductDetail {
  const page = `${baseUrl}/${owner.name}/7/t-shirt`;
  const image = `${baseUrl}/images/v1/500x500/t-shirt/s/white/front/7/1-2x2.png`;
  const sampleItemVariant = more.sampleItemVariant ?? variants[0]!;
  const { size, color } = sampleItemVariant;
  return {
    id,
    title: 'Lighthouse スタンダードTシャツ',
    published: true,
    publishedAt: at,
    createdAt: at,
    updatedAt: at,
    examplaryAngle: 'front',
    imageUrl: `${baseUrl}/images/v1/{width}x{height}/t-shirt/{size}/{color}[/angle]/7/1-2x2.png.webp?h=abc&printed=true`,
    sampleImageUrl: `${image}.webp`,
    pngSampleImageUrl: `${image}.png`,
    sampleImageUrls: [],
    url: `${page}/{size}/{color}`,
    sampleUrl: `${page}/${size.name}/${color.name}`,
    price: 2_500,
    priceWithTax: 2_750,
    discountedPrice: 2_500,
    discountedPriceWithTax: 2_750,
    secret: false,
    resizeMode: null,
    item,
    sampleItemVariant,
    itemVariants: variants,
    material: {
      id: 7,
      title: 'Lighthouse',
      description: null,
      price: 300,
      priceWithTax: 330,
      violation: false,
      published: true,
      publishedAt: at,
      uploadedAt: at,
      dominantRgb: null,
      originalWidth: 2,
      originalHeight: 2,
      user: owner,
      ...material,
    },
    ...more,
  };
}

export const user = (more: Partial<User> = {}): User => ({
  ...owner,
  profile: { url: 'https://hanako.example.com/', body: 'I draw <b>cats</b>.', headerUrl: null },
  identities: [],
  official: true,
  ...more,
});
