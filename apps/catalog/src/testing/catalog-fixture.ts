import { type Item, type ItemVariant, itemImageUrlTemplate, type ResizeMode } from '#contracts';
import { withTax } from '#kernel';
import { type CatalogItem, type CatalogSnapshot, type CatalogVariant } from '../items/catalog.snapshot.js';
import { jsonContextOf } from '../context.json.js';
import { type ProductRow } from '../products/product.json.js';
import { type CatalogSettings } from '../catalog.settings.js';

export const settings: CatalogSettings = {
  baseUrl: 'https://shop.example.com',
  taxPercent: 10,
  imageSigningSecret: 'a secret that is long enough for a key',
  cacheBytes: 1024 ** 2,
  timeZone: 'UTC',
  dateTimeFormat: 'spec',
};

export const jsonContext = jsonContextOf(settings);

const colors = {
  white: { id: 1, name: 'white', displayName: 'ホワイト', rgb: '#ffffff' },
  black: { id: 2, name: 'black', displayName: 'ブラック', rgb: '#000000' },
};
const sizes = { s: { id: 1, name: 's', displayName: 'S' }, m: { id: 2, name: 'm', displayName: 'M' } };

interface VariantParts {
  readonly id: number;
  readonly itemId: number;
  readonly color: keyof typeof colors;
  readonly size: keyof typeof sizes;
  readonly price: number;
  readonly places: Readonly<Record<string, number>>;
  readonly enabled?: boolean;
  readonly exemplary?: boolean;
}

function variant({
  id,
  itemId,
  price,
  places,
  enabled = true,
  exemplary = false,
  ...it
}: VariantParts): CatalogVariant {
  const isDarkColor = it.color === 'black';
  const fields = {
    id,
    color: colors[it.color],
    size: sizes[it.size],
    price,
    exemplary,
    enabled,
    isLightColor: !isDarkColor,
    isDarkColor,
  };
  const printPlaces = Object.entries(places).map(([place, placePrice], index) => ({
    id: id * 10 + index,
    place,
    price: placePrice,
  }));
  const resource: ItemVariant = {
    ...fields,
    priceWithTax: withTax(price, 10),
    printPlaces: printPlaces.map((place) => ({ ...place, itemVariantId: id })),
  };
  return { ...fields, itemId, printPlaces, json: Buffer.from(JSON.stringify(resource)) };
}

const printArea = { pixels: { width: 2520, height: 3360 }, millimetres: { width: 300, height: 400 } };

interface ItemParts {
  readonly id: number;
  readonly name: string;
  readonly humanizeName: string;
  readonly places: readonly [string, ...string[]];
  readonly variants: readonly [CatalogVariant, ...CatalogVariant[]];
  readonly resizeModes?: readonly ResizeMode[];
  readonly isEmbroidery?: boolean;
  readonly enabled?: boolean;
}

function item({ id, name, humanizeName, places, variants, ...rest }: ItemParts): CatalogItem {
  const { resizeModes = ['contain'], isEmbroidery = false, enabled = true } = rest;
  const resource: Item = {
    id,
    name,
    humanizeName,
    angles: [...places],
    availablePrintPlaces: [...places],
    defaultPrintPlace: places[0],
    displayOrder: id,
    essentialAngles: [...places],
    extraAngles: [],
    iconUrls: {},
    wearingImageUrls: {},
    isMultiPrintable: places.length > 1,
    isEmbroidery,
    printPlaceDisplayNames: Object.fromEntries(places.map((place) => [place, place])),
    printPlaceForExtraAngles: {},
    imageDescriptions: [],
    productImageUrlTemplates: Object.fromEntries(
      places.map((place) => [place, itemImageUrlTemplate(jsonContext.baseUrl, name)]),
    ),
  };
  return {
    ...resource,
    searchText: `${name}\n${humanizeName}`,
    enabled,
    version: 0,
    layers: null,
    wearingAngle: undefined,
    resizeModes,
    printAreas: Object.fromEntries(places.map((place) => [place, printArea])),
    printing: {},
    variants,
    exemplaryVariant: variants[0],
    json: Buffer.from(JSON.stringify(resource)),
    variantsJson: Buffer.from(`[${variants.map(({ json }) => json.toString()).join()}]`),
  };
}

const shirtPlaces = { front: 0, back: 500, left: 300 };

export const shirt = item({
  id: 1,
  name: 't-shirt',
  humanizeName: 'スタンダードTシャツ',
  places: ['front', 'back', 'left'],
  variants: [
    variant({ id: 11, itemId: 1, color: 'white', size: 's', price: 2200, places: shirtPlaces, exemplary: true }),
    variant({ id: 12, itemId: 1, color: 'black', size: 'm', price: 2400, places: { front: 100, back: 600 } }),
    variant({ id: 13, itemId: 1, color: 'black', size: 's', price: 2400, places: shirtPlaces, enabled: false }),
  ],
});

export const mug = item({
  id: 3,
  name: 'mug',
  humanizeName: 'マグカップ',
  places: ['front'],
  variants: [
    variant({ id: 31, itemId: 3, color: 'white', size: 'm', price: 1466, places: { front: 0 }, exemplary: true }),
  ],
});

export const phoneCase = item({
  id: 4,
  name: 'smartphone-case',
  humanizeName: 'スマートフォンケース',
  places: ['front'],
  resizeModes: ['cover', 'contain'],
  variants: [
    variant({ id: 41, itemId: 4, color: 'white', size: 'm', price: 2000, places: { front: 0 }, exemplary: true }),
  ],
});

export const embroideredCap = item({
  id: 5,
  name: 'embroidered-cap',
  humanizeName: '刺繍キャップ',
  places: ['front'],
  isEmbroidery: true,
  variants: [
    variant({ id: 51, itemId: 5, color: 'white', size: 'm', price: 3000, places: { front: 0 }, exemplary: true }),
  ],
});

export const retiredSocks = item({
  id: 6,
  name: 'socks',
  humanizeName: '靴下',
  places: ['front'],
  enabled: false,
  variants: [
    variant({ id: 61, itemId: 6, color: 'white', size: 'm', price: 900, places: { front: 0 }, exemplary: true }),
  ],
});

const all = [shirt, mug, phoneCase, embroideredCap, retiredSocks];

/**
 * A small catalog for tests of rules. Its items and variants match the API's Item and ItemVariant.
 */
export const catalog: CatalogSnapshot = {
  id: 'fixture',
  item: (id) => all.find((it) => it.id === id),
  itemByName: (name) => all.find((it) => it.name === name),
  variant: (id) => all.flatMap(({ variants }) => variants).find((it) => it.id === id),
  itemsNamed: (word) => all.filter(({ searchText }) => searchText.includes(word)).map(({ id }) => id),
  items: all.filter(({ enabled }) => enabled),
  listJson: Buffer.from('{"items":[]}'),
  etag: '"0"',
  categoriesJson: Buffer.from('{"categories":[]}'),
  categoriesEtag: '"0"',
  namesJson: { en: Buffer.from('{}'), ja: Buffer.from('{}') },
  in() {
    return this;
  },
};

/** A product of the shirt, as selected by a query. */
export const productRow: ProductRow = {
  id: 7,
  itemId: 1,
  variantId: 11,
  published: true,
  publishedAt: new Date('2026-11-20T09:00:01Z'),
  createdAt: new Date('2026-11-20T09:00:02Z'),
  updatedAt: new Date('2026-11-20T09:00:03Z'),
  resizeMode: 'contain',
  placement: null,
  prints: [],
  imageRevision: 0,
  materialId: 12,
  materialTitle: 'He said "meow" \\ 猫\u2028🐈',
  description: null,
  materialPrice: 300,
  violation: false,
  materialPublished: true,
  materialPublishedAt: new Date('2026-11-20T09:00:01Z'),
  uploadedAt: new Date('2025-11-20T09:00:00.999Z'),
  textureFormat: 'jpeg',
  dominantRgb: '#274b6d',
  animated: false,
  originalWidth: 2000,
  originalHeight: 1000,
  userId: 3,
  userName: 'hanako',
  userDisplayName: 'Hanako "H"',
  userAvatarUrl: null,
};
