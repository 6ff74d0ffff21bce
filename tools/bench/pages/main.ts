import { parseArgs } from 'node:util';
import type { Product } from '#contracts';
import { type BenchShop, withBenchShop } from '../calls/shop.js';
import { cpuOf, type Side } from '../calls/sides.js';
import { numberOf } from '../number-of.js';
import { percentile } from '../overload/figures.js';

const help = `Usage: npm run bench:pages -- [--products 10000] [--requests 200] [--cold]

Starts a stack (one process of each app), fills it with products, and requests the pages of the site one after the other,
as a visitor who is not signed in. Reports the time until the last byte, the processor time of all
processes per page, and the size of the HTML. Images are not requested.

--requests  number of requests of each page
--cold      disables the response caches of all processes: the cost right after a change`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const warmUpRequests = 200;
/** Number of creators and products whose pages are requested in rotation. */
const differentPages = 200;

interface SitePage {
  readonly name: string;
  /** Paths, requested in rotation. */
  readonly paths: readonly string[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      products: { type: 'string', default: '10000' },
      requests: { type: 'string', default: '200' },
      cold: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(help);
    return;
  }
  const products = numberOf('products', values.products);
  const requests = numberOf('requests', values.requests);
  await withBenchShop({ products, isCold: values.cold }, async (shop) => {
    print('| page | KB | p50 ms | p99 ms | CPU ms |\n| --- | --: | --: | --: | --: |');
    for (const page of await pagesOf(shop)) print(await lineOf(shop.ours, page, requests));
  });
}

/** Pages that visitors open most. */
async function pagesOf({ seeded, ours, caller }: BenchShop): Promise<SitePage[]> {
  const terms = ['猫', '金魚', 'tiger', '海辺の金魚', 'xxxxx'];
  const creators = seeded.userIds.filter((id) => id !== caller.id);
  return [
    { name: 'front page', paths: ['/'] },
    { name: 'search', paths: terms.map((term) => `/search?q=${encodeURIComponent(term)}`) },
    { name: 'search of an item', paths: terms.map((term) => `/search?item=t-shirt&q=${encodeURIComponent(term)}`) },
    { name: 'creator', paths: creators.slice(0, differentPages).map((id) => `/artist-${id}`) },
    { name: 'product', paths: await productPaths(ours, seeded.productIds.slice(0, differentPages), caller.token) },
  ];
}

async function productPaths(side: Side, ids: readonly number[], token: string): Promise<string[]> {
  const paths: string[] = [];
  for (const id of ids) {
    const response = await fetch(`${side.origin}/api/v1/products/${id}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`product ${id}: ${response.status} ${await response.text()}`);
    paths.push(new URL(((await response.json()) as { product: Product }).product.sampleUrl).pathname);
  }
  return paths;
}

/** Requests a page repeatedly. Returns a row of the table. */
async function lineOf(side: Side, { name, paths }: SitePage, requests: number): Promise<string> {
  let bytes = 0;
  const load = async (n: number): Promise<number> => {
    const path = paths[n % paths.length]!;
    const since = performance.now();
    const response = await fetch(side.origin + path, { headers: { 'accept-encoding': 'identity' } });
    const body = await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    bytes += body.byteLength;
    return performance.now() - since;
  };
  for (let n = 0; n < warmUpRequests; n += 1) await load(n);
  bytes = 0;
  const before = await cpuOf(side);
  const times: number[] = [];
  for (let n = 0; n < requests; n += 1) times.push(await load(n));
  const after = await cpuOf(side);
  const total = (used: ReadonlyMap<string, number>): number => [...used.values()].reduce((sum, ms) => sum + ms, 0);
  const figures = [percentile(times, 0.5), percentile(times, 0.99), (total(after) - total(before)) / requests];
  const cells = [(bytes / requests / 1_000).toFixed(1), ...figures.map((ms) => ms.toFixed(1))];
  return `| ${[name, ...cells].join(' | ')} |`;
}

await main();
