// STOREFRONT_KEY=... node first-product.mjs image.png
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { STOREFRONT_KEY: key, STOREFRONT_URL: url = 'http://localhost:3000' } = process.env;
const file = process.argv[2];
if (!key || !file || !existsSync(file)) {
  console.error('Usage: STOREFRONT_KEY=... node first-product.mjs image.png');
  process.exit(2);
}

/**
 * Returns the body. Retries temporary failures, up to 5 attempts: after Retry-After, or 1, 2, 4, 8
 * s plus jitter.
 */
async function fetchWithRetries(address, request) {
  for (let pause = 1; ; pause *= 2) {
    let problem, wait;
    try {
      const response = await fetch(address, { ...request, signal: AbortSignal.timeout(60_000) });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.ok) return bytes;
      problem = `${response.status}: ${bytes}`;
      wait = response.headers.get('retry-after') ?? ([429, 503, 504].includes(response.status) ? pause : null);
    } catch (error) {
      [problem, wait] = [error.cause ?? error, pause];
    }
    if (wait === null || pause > 8) throw new Error(problem);
    await sleep((Number(wait) + Math.random()) * 1_000);
  }
}

async function api(method, path, body) {
  // One key for all attempts, so that the request is executed at most once
  const own = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const headers = { authorization: `Bearer ${key}`, ...(body && own) };
  return JSON.parse(await fetchWithRetries(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) }));
}

const { user } = await api('GET', '/user');
console.log(`You are ${user.name}.`);
const { items } = await api('GET', '/items');
for (const { id, humanizeName, minPriceWithTax } of items)
  console.log(`${id}  ${humanizeName}  from ${minPriceWithTax}`);

const text = await api('POST', '/materials/text', { text: 'Hello,\nworld' });
const texture = `data:;base64,${await readFile(file, 'base64')}`;
const products = [{ itemId: items[0].id, published: true }];
const image = await api('POST', '/materials', { title: 'My image', texture, products });
for (const { id, title, priceWithTax, sampleImageUrl } of [...text.products, ...image.products])
  console.log(`Product ${id}: ${title}, ${priceWithTax}, ${sampleImageUrl}`);

const [{ id, sampleImageUrl }] = image.products;
// The first request of an image renders it
const rendered = await fetchWithRetries(sampleImageUrl);
await writeFile(`product-${id}.webp`, rendered);
console.log(`product-${id}.webp has ${rendered.length} bytes.`);
const { meta } = await api('POST', `/products/${id}/favorites`, { count: 1 });
console.log(`Favorites: ${meta.totalCount}`);
