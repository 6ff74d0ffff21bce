import sharp from 'sharp';
import type { Seeded } from './seed.js';

/** A measured kind of request. */
export interface Call {
  readonly name: string;
  /** Requests, sent in rotation. */
  readonly requests: readonly CallRequest[];
  /**
   * Returns new requests for each round, if the service would handle repeated requests differently.
   */
  readonly fresh?: () => Promise<readonly CallRequest[]>;
  /** True if each request creates something, so that responses differ. */
  readonly writes: boolean;
}

export interface CallRequest {
  readonly method: 'GET' | 'POST';
  /** Path below /api/v1. */
  readonly path: string;
  readonly body?: string;
}

const firstPage = 'limit=20';
/** Number of products that the call `one` requests in rotation. */
const requestedProducts = 1_000;

const reads = (name: string, paths: readonly string[]): Call => ({
  name,
  requests: paths.map((path) => ({ method: 'GET', path })),
  writes: false,
});

const multiples = (count: number, step: number): number[] => Array.from({ length: count }, (_, n) => n * step);

/**
 * Returns typical calls and calls that are expensive for a database. Search terms are common, rare
 * and unknown. `search-1`, `search-2` and `search-5` are named after the least length of their
 * terms.
 */
export async function callsOf(seeded: Seeded, products: number): Promise<Call[]> {
  return [...lists(seeded), ...searches, ...otherReads(seeded), ...farPages(products), ...(await writes(seeded))];
}

const lists = ({ productIds, itemIds, userIds }: Seeded): Call[] => [
  reads('list', [`/products?${firstPage}`]),
  reads('pages', pagesFrom(0)),
  reads(
    'by-user',
    userIds.slice(0, 200).map((id) => `/products?${firstPage}&userId=${id}`),
  ),
  reads(
    'by-item',
    itemIds.map((id) => `/products?${firstPage}&itemId=${id}`),
  ),
  reads(
    'one',
    productIds.slice(0, requestedProducts).map((id) => `/products/${id}`),
  ),
];

const pagesFrom = (first: number): string[] =>
  multiples(50, 20).map((more) => `/products?${firstPage}&offset=${first + more}`);

const search = (name: string, words: readonly string[]): Call =>
  reads(
    name,
    words.map((word) => `/products/search?q=${encodeURIComponent(word)}&${firstPage}`),
  );

const searches: readonly Call[] = [
  search('search-1', ['猫', '犬', '龘', 'x', '夢', '7', 'q', '森']),
  search('search-2', ['海辺', '金魚', '麒麟', 'ca', '夜空', 'qu', '35', 'xx']),
  search('search-5', ['ダイナソー', 'tiger', '海辺の金魚', 'whale', 'ナマケモノ', 'xxxxx', 'quokka', 'うさぎの夢']),
];

const otherReads = ({ choiceId }: Seeded): Call[] => [
  reads('on-sale', [`/products/on_sale?${firstPage}`]),
  reads('items', ['/items']),
  reads('materials', [`/materials?${firstPage}`]),
  reads(
    'choice',
    multiples(8, 20).map((offset) => `/choices/${choiceId}/products?${firstPage}&offset=${offset}`),
  ),
];

const farPages = (products: number): Call[] =>
  [1_000, 100_000].filter((offset) => offset < products).map((offset) => reads(`offset-${offset}`, pagesFrom(offset)));

const writes = async ({ productIds, itemIds }: Seeded): Promise<Call[]> => [
  {
    name: 'favorite',
    requests: productIds.map((id) => ({ method: 'POST', path: `/products/${id}/favorites`, body: '{"count":1}' })),
    writes: true,
  },
  {
    name: 'material',
    requests: await newMaterials(itemIds, 1),
    fresh: () => newMaterials(itemIds, materialsOfRound),
    writes: true,
  },
];

/** Number of materials prepared for a round, which creates fewer. */
const materialsOfRound = 600;
let images = 0;

/**
 * Returns requests with small textures that all differ, because a texture that is stored already is
 * found by its hash and not stored again.
 */
function newMaterials(itemIds: readonly number[], count: number): Promise<CallRequest[]> {
  const products = itemIds.slice(0, 3).map((itemId) => ({ itemId, published: true }));
  return Promise.all(
    multiples(count, 1).map(async () => {
      const n = images++;
      const background = { r: n % 256, g: (n >> 8) % 256, b: 60 };
      const png = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
        .png()
        .toBuffer();
      const texture = `data:image/png;base64,${png.toString('base64')}`;
      return {
        method: 'POST',
        path: '/materials',
        body: JSON.stringify({ texture, title: `New ${n}`, price: 100, products }),
      };
    }),
  );
}

/** Returns the request as written to the socket. */
export function serializeRequest({ method, path, body }: CallRequest, token: string): string {
  const head = [`${method} /api/v1${path} HTTP/1.1`, 'Host: shop', `Authorization: Bearer ${token}`];
  if (body !== undefined) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return [...head, '', body ?? ''].join('\r\n');
}
