import { type LargeShop } from './large-shop.js';
import { type Reads } from './reads.js';

/** A read that the services perform for API requests or sitemaps, with its expected cost. */
export interface ScaleCase {
  readonly name: string;
  /** Offset of the page; for another read 0 or the number of rows that it needs. */
  readonly offset: number;
  readonly read: (reads: Reads, shop: LargeShop) => Promise<unknown>;
  /** Number of statements over all services. */
  readonly statements: number;
  /** Number of index scans that are merged into a page; each is read up to the end of the page. */
  readonly lists: number;
  /**
   * Cause of the cost. `list`: offset of the page. `search`: products that are scanned, and that
   * the index finds. `old`: as `search`, with a word in old titles only, so that no new product has
   * it.
   */
  readonly kind: 'list' | 'search' | 'old';
}

const limit = 20;
/** Number of running sales: one of an item, ten of users. */
const saleCount = 11;
type Read = ScaleCase['read'];

const noFilters = { itemId: undefined, userId: undefined, userName: undefined, materialId: undefined };
type Filters = Partial<Record<keyof typeof noFilters, number | string>>;
type FiltersOf = (shop: LargeShop) => Filters & { readonly viewerId: number };

const listRead =
  (wanted: FiltersOf, offset = 0): Read =>
  ({ products }, shop) =>
    products.list({ limit, offset, ...noFilters, ...wanted(shop) } as Parameters<Reads['products']['list']>[0]);

const itemOf = ({ itemIds }: LargeShop) => itemIds[5]!;

/** Filters of lists of products, as a visitor and as a creator with drafts. */
const productFilters: Readonly<Record<string, FiltersOf>> = {
  products: ({ visitor }) => ({ viewerId: visitor }),
  'of an item': (shop) => ({ viewerId: shop.visitor, itemId: itemOf(shop) }),
  'of a user': ({ visitor, creator }) => ({ viewerId: visitor, userId: creator }),
  'of a user name': ({ visitor, creatorName }) => ({ viewerId: visitor, userName: creatorName }),
  'of an unknown user name': ({ visitor }) => ({ viewerId: visitor, userName: 'unknown' }),
  'of a material': ({ visitor, materialId }) => ({ viewerId: visitor, materialId }),
  'of a user and an item': (shop) => ({ viewerId: shop.visitor, userId: shop.creator, itemId: itemOf(shop) }),
  'of a user name and an item': (shop) => ({
    viewerId: shop.visitor,
    userName: shop.creatorName,
    itemId: itemOf(shop),
  }),
  'of a material and an item': (shop) => ({
    viewerId: shop.visitor,
    materialId: shop.materialId,
    itemId: itemOf(shop),
  }),
  'of a user and a material': ({ visitor, creator, materialId }) => ({
    viewerId: visitor,
    userId: creator,
    materialId,
  }),
  'of all four': (shop) => ({
    viewerId: shop.visitor,
    userId: shop.creator,
    userName: shop.creatorName,
    materialId: shop.materialId,
    itemId: itemOf(shop),
  }),
  'as a creator': ({ creator }) => ({ viewerId: creator }),
  'as a creator, of an item': (shop) => ({ viewerId: shop.creator, itemId: itemOf(shop) }),
  'as a creator, own': ({ creator }) => ({ viewerId: creator, userId: creator }),
  'as a creator, own by name': ({ creator, creatorName }) => ({ viewerId: creator, userName: creatorName }),
  'as a creator, own of an item': (shop) => ({ viewerId: shop.creator, userId: shop.creator, itemId: itemOf(shop) }),
  'as a creator, of a material': ({ creator, materialId }) => ({ viewerId: creator, materialId }),
};

const otherReads: Readonly<Record<string, Read>> = {
  'a cached list': async (reads, shop) => {
    await listRead(productFilters.products!)(reads, shop);
    await listRead(productFilters.products!)(reads, shop);
  },
  'newest of each material': ({ products }) => products.newest({ limit, offset: 0 }),
  'one product': ({ products }, { visitor, popularProduct }) => products.get(visitor, popularProduct),
  'the products of a page of another service': ({ products }, { visitor, popularProduct }) => {
    const entries = Array.from({ length: 50 }, (_, n) => ({ productId: popularProduct - 97 * n, itemVariantId: null }));
    return products.chosen({ viewerId: visitor, entries, nextOffset: null });
  },
  'on sale': ({ products }, { visitor }) => products.onSale({ viewerId: visitor, limit, offset: 0 }),
  'on sale as a creator': ({ products }, { creator }) => products.onSale({ viewerId: creator, limit, offset: 0 }),
  'materials, own': ({ materials }, { creator }) =>
    materials.list({ viewerId: creator, userId: undefined, limit, offset: 0 }),
  "materials, another's": ({ materials }, { visitor, creator }) =>
    materials.list({ viewerId: visitor, userId: creator, limit, offset: 0 }),
  'one material': ({ products }, { visitor, materialId }) => products.ofMaterial(visitor, materialId),
  'what an image shows': ({ images }, { materialId }) => images.imageSourceOf(materialId),
  'favorites of a product': ({ favorites }, { visitor, popularProduct }) =>
    favorites.ofProduct({ viewerId: visitor, productId: popularProduct, itemId: undefined, limit, offset: 0 }),
  'favorites of a product of an item': ({ favorites }, shop) =>
    favorites.ofProduct({
      viewerId: shop.visitor,
      productId: shop.popularProduct,
      itemId: itemOf(shop),
      limit,
      offset: 0,
    }),
  'stamps of a product': ({ favorites }, { popularProduct }) => favorites.stamps({ productId: popularProduct }),
  'favorites, own': ({ favorites }, { collector }) =>
    favorites.ofUser({ viewerId: collector, userId: collector, limit, offset: 0 }),
  "favorites, another's": ({ favorites }, { visitor, collector }) =>
    favorites.ofUser({ viewerId: visitor, userId: collector, limit, offset: 0 }),
  choices: ({ choices }, { visitor }) => choices.list({ viewerId: visitor, limit, offset: 0 }),
  'choices of a user': ({ choices }, { visitor, curator }) =>
    choices.list({ viewerId: visitor, userId: curator, limit, offset: 0 }),
  'choices of a user name': ({ choices }, { visitor, curatorName }) =>
    choices.list({ viewerId: visitor, userName: curatorName, limit, offset: 0 }),
  'choices as a curator': ({ choices }, { curator }) => choices.list({ viewerId: curator, limit, offset: 0 }),
  'choices, own': ({ choices }, { curator }) => choices.list({ viewerId: curator, userId: curator, limit, offset: 0 }),
  'one choice': ({ choices }, { visitor, choiceId }) => choices.get(visitor, choiceId),
  'products of a choice': ({ choices }, { visitor, choiceId }) =>
    choices.products({ viewerId: visitor, choiceId, limit, offset: 100 }),
  activities: ({ activities }, { curator }) => activities.list(curator, 30, 'en'),
  users: ({ users }, { visitor }) => users.list({ viewerId: visitor, limit, offset: 0, name: undefined }),
  'users of a name': ({ users }, { visitor, creatorName }) =>
    users.list({ viewerId: visitor, limit, offset: 0, name: creatorName }),
  'one user': ({ users }, { creator }) => users.get(creator),
};

/** Search terms in many, some, few, only old, and no titles, and in names of items. */
const searchTerms = [
  ...['猫', 'の', 'e', '7', '龘', '鱻', '鬱'],
  ...['海辺', '金魚', '35', '麒麟', 'ニン'],
  ...['tiger', 'ロボット', '海辺の猫', '幽霊の忍者', 'quokka', 'ナマケモノ', 'vintage', 'zebra', 'tシャツ'],
  ...['midnight tiger', 'tiger 353', '金魚 7', '龘 tシャツ', 'tシャツ 海辺の猫 16', 'vintage whale'],
];

const searchRead =
  (q: string, wanted: FiltersOf, offset = 0): Read =>
  ({ products }, shop) => {
    const { viewerId, itemId } = wanted(shop);
    return products.search({ viewerId, itemId: itemId as number | undefined, q, limit, offset });
  };

// Beginnings of the names of reads that send two statements; the others send one
const namesWithTwoStatements = ['a cached list', 'favorites, ', 'favorites of a user', 'products of a choice'];

const listCase = (name: string, read: Read, offset = 0): ScaleCase => ({
  name,
  read,
  offset,
  kind: 'list',
  statements: namesWithTwoStatements.some((start) => name.startsWith(start)) ? 2 : 1,
  lists: name.startsWith('on sale') ? saleCount + 1 : 2,
});

const searchCase = (word: string, as: string, offset = 0): ScaleCase => ({
  name: `search ${word}${as === 'products' ? '' : ` ${as}`}${offset === 0 ? '' : ` from ${offset}`}`,
  read: searchRead(word, productFilters[as]!, offset),
  statements: 1,
  offset,
  lists: 2,
  kind: word.startsWith('vintage') ? 'old' : 'search',
});

/** First pages of lists, and single resources. */
export const firstPages: readonly ScaleCase[] = [
  ...Object.entries(productFilters).map(([name, wanted]) => listCase(name, listRead(wanted))),
  ...Object.entries(otherReads).map(([name, read]) => listCase(name, read)),
];

export const searches: readonly ScaleCase[] = [
  ...searchTerms.map((word) => searchCase(word, 'products')),
  ...['海辺', '龘', 'vintage'].flatMap((word) => [searchCase(word, 'as a creator'), searchCase(word, 'of an item')]),
  searchCase(' ', 'products'),
  searchCase('海辺', 'products', 1_000),
];

const farPage = (name: string, readFrom: (offset: number) => Read) => (offset: number) =>
  listCase(`${name} from ${offset}`, readFrom(offset), offset);

/** Far pages, by offset, of lists that have a covering index. */
export const farPages: readonly ((offset: number) => ScaleCase)[] = [
  ...['products', 'of an item', 'of a user', 'as a creator', 'as a creator, own'].map((name) =>
    farPage(name, (offset) => listRead(productFilters[name]!, offset)),
  ),
  farPage(
    'choices',
    (offset) =>
      ({ choices }, { visitor }) =>
        choices.list({ viewerId: visitor, limit, offset }),
  ),
  farPage(
    'users',
    (offset) =>
      ({ users }, { visitor }) =>
        users.list({ viewerId: visitor, limit, offset, name: undefined }),
  ),
];

/**
 * Reads whose cost grows with the rows of a user, a product or the sales, and sitemaps.
 * million.scale.spec.ts measures them without limits.
 */
export const unlimitedReads: readonly ScaleCase[] = [
  listCase('numbers of the sitemaps', ({ sitemaps }) => sitemaps.list()),
  // A sitemap names up to 1,000 products
  listCase('sitemap', ({ sitemaps }) => sitemaps.get(2), 1_000),
  listCase('unread activities', ({ activities }, { curator }) => activities.unreads(curator)),
  farPage(
    'favorites of a product',
    (offset) =>
      ({ favorites }, { visitor, popularProduct }) =>
        favorites.ofProduct({ viewerId: visitor, productId: popularProduct, itemId: undefined, limit, offset }),
  )(1_000),
  farPage(
    'favorites of a user',
    (offset) =>
      ({ favorites }, { visitor, collector }) =>
        favorites.ofUser({ viewerId: visitor, userId: collector, limit, offset }),
  )(1_000),
  farPage(
    'on sale',
    (offset) =>
      ({ products }, { visitor }) =>
        products.onSale({ viewerId: visitor, limit, offset }),
  )(1_000),
];
