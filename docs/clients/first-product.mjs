// STOREFRONT_KEY=... node first-product.mjs picture.png
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { STOREFRONT_KEY: key, STOREFRONT_URL: url = 'http://localhost:3000' } = process.env;
const file = process.argv[2];
if (!key || !file || !existsSync(file)) {
  console.error('Usage: STOREFRONT_KEY=... node first-product.mjs picture.png');
  process.exit(2);
}

/** The bytes of an answer. What may succeed later is tried 5 times: after Retry-After, or 1, 2, 4, 8 s, and a bit. */
async function again(address, request) {
  for (let pause = 1; ; pause *= 2) {
    let problem, wait;
    try {
      const answer = await fetch(address, { ...request, signal: AbortSignal.timeout(60_000) });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.ok) return bytes;
      problem = `${answer.status}: ${bytes}`;
      wait = answer.headers.get('retry-after') ?? ([429, 503, 504].includes(answer.status) ? pause : null);
    } catch (error) {
      [problem, wait] = [error.cause ?? error, pause];
    }
    if (wait === null || pause > 8) throw new Error(problem);
    await sleep((Number(wait) + Math.random()) * 1_000);
  }
}

async function api(method, path, body) {
  // One key for all attempts, so that the request is done once
  const own = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const headers = { authorization: `Bearer ${key}`, ...(body && own) };
  return JSON.parse(await again(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) }));
}

const { user } = await api('GET', '/user');
console.log(`You are ${user.name}.`);
const { items } = await api('GET', '/items');
for (const { id, humanizeName, minPriceWithTax } of items)
  console.log(`${id}  ${humanizeName}  from ${minPriceWithTax}`);

const text = await api('POST', '/materials/text', { text: 'Hello,\nworld' });
const texture = `data:;base64,${await readFile(file, 'base64')}`;
const wanted = [{ itemId: items[0].id, published: true }];
const picture = await api('POST', '/materials', { title: 'My picture', texture, products: wanted });
for (const { id, title, priceWithTax, sampleImageUrl } of [...text.products, ...picture.products])
  console.log(`Product ${id}: ${title}, ${priceWithTax}, ${sampleImageUrl}`);

const [{ id, sampleImageUrl }] = picture.products;
// The first request of a picture draws it, and is answered when it is there
const drawn = await again(sampleImageUrl);
await writeFile(`product-${id}.webp`, drawn);
console.log(`product-${id}.webp has ${drawn.length} bytes.`);
const { meta } = await api('POST', `/products/${id}/favorites`, { count: 1 });
console.log(`It was favored ${meta.totalCount} times.`);
