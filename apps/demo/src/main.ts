import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openQueueClients } from '#request-queue';
import { toLocalUrl, gatewayAddress, requestsUrl } from '#config';
import { contactSheet, type SheetImage } from './contact-sheet.view.js';
import { plan, type Created, download, type Items, Storefront, uploadPlanned } from '#demo-shop';

const help = `Usage: npm run demo -- [--out FOLDER] [--base-url URL --api-key KEY --fan-api-key KEY]

Uploads the bundled artwork, waits until all images are rendered, adds one product to the favorites of another user,
prints the activities, and writes the images with a contact sheet into FOLDER (default demo-output).
Without keys it creates two users through the request queue of the stack that runs with DATA_DIR (default .data), or of
the stack of REDIS_REQUESTS_URL and GATEWAY_URL.`;

interface Flags {
  readonly out: string;
  readonly baseUrl: string | undefined;
  readonly keys: Keys | undefined;
}

/**
 * Returns the flags; undefined for `--help`.
 *
 * @throws Error about an invalid flag
 */
function readFlags(): Flags | undefined {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'demo-output' },
      'base-url': { type: 'string' },
      'api-key': { type: 'string' },
      'fan-api-key': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { out, 'base-url': baseUrl, 'api-key': creator, 'fan-api-key': fan } = values;
  const keys = creator !== undefined && fan !== undefined ? { creator, fan } : undefined;
  // Without keys, users of the local stack are created, whose keys must not be sent to another URL
  if ((baseUrl === undefined) !== (keys === undefined))
    throw new Error('--base-url, --api-key and --fan-api-key must be given together.');
  return values.help ? undefined : { out, baseUrl, keys };
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

interface Keys {
  readonly creator: string;
  readonly fan: string;
}

/**
 * Creates two users and returns their keys. Each run has a new creator, who has no materials
 * of earlier runs.
 */
async function createUsers(): Promise<Keys> {
  const clients = await openQueueClients({ app: 'operator', redisUrl: requestsUrl(), services: ['accounts'] });
  const create = async (role: string, displayName: string): Promise<string> => {
    const name = `${role}-${randomBytes(4).toString('hex')}`;
    const password = randomBytes(16).toString('hex');
    const user = { name, email: `${name}@example.com`, password, displayName };
    return (await clients.of('accounts').call('users.create', user)).apiKey;
  };
  try {
    return { creator: await create('creator', 'Creator'), fan: await create('fan', '花子') };
  } finally {
    await clients.close();
  }
}

async function upload(shop: Storefront, items: Items): Promise<Created[]> {
  const created: Created[] = [];
  for (const material of plan) {
    const response = await uploadPlanned(shop, items, material);
    created.push(response);
    print(`  ${material.title}: material ${response.material.id}, ${response.products.length} products`);
  }
  return created;
}

/**
 * Waits at most 3 minutes for the activity of each material, which is created when the last image
 * of the material is stored.
 *
 * @param before the number of unread activities before the upload
 */
async function waitForImages(shop: Storefront, before: number): Promise<void> {
  const deadline = Date.now() + 180_000;
  let shown = -1;
  while (shown < plan.length) {
    const done = Math.min((await shop.unreads()) - before, plan.length);
    if (done !== shown) showProgress(done);
    shown = done;
    if (Date.now() > deadline)
      throw new Error('The images are not ready after 3 minutes. Check that material-rendering is running.');
    await wait(250);
  }
}

/** Prints the progress: one updated line on a terminal, a line for each step otherwise. */
function showProgress(done: number): void {
  const bar = '#'.repeat(done * 4).padEnd(plan.length * 4, '.');
  const line = `  [${bar}] ${done} of ${plan.length} materials rendered`;
  if (process.stdout.isTTY && done < plan.length) process.stdout.write(`\r${line}`);
  else print(process.stdout.isTTY ? `\r${line}` : line);
}

async function save(
  created: readonly Created[],
  folder: string,
  toReachableUrl: (url: string) => string,
): Promise<SheetImage[]> {
  const images: SheetImage[] = [];
  for (const product of created.flatMap(({ products }) => products)) {
    const { color, size } = product.sampleItemVariant;
    for (const angle of product.item.essentialAngles) {
      const url = product.imageUrl
        .replace('{width}x{height}', '765x765')
        .replace('{size}/{color}', `${size.name}/${color.name}`)
        .replace('[/angle]', `/${angle}`)
        .replace('.webp?', '.jpg?');
      const file = `${product.id}-${product.item.name}-${color.name}-${angle}.jpg`;
      await writeFile(join(folder, file), await download(toReachableUrl(url)));
      images.push({ file, title: product.title, caption: `${product.item.name}, ${color.name}, ${angle}` });
    }
  }
  await writeFile(join(folder, 'index.html'), contactSheet(images));
  return images;
}

async function runDemo(flags: Flags): Promise<void> {
  const stack = flags.baseUrl === undefined ? gatewayAddress() : { baseUrl: flags.baseUrl, localUrl: flags.baseUrl };
  const baseUrl = stack.localUrl;
  const keys = flags.keys ?? (await createUsers());
  const shop = new Storefront(baseUrl, keys.creator);
  const fan = new Storefront(baseUrl, keys.fan);
  const folder = resolve(flags.out);
  await mkdir(folder, { recursive: true });

  print(`Uploading ${plan.length} images to ${baseUrl}`);
  await shop.activities();
  const before = await shop.unreads();
  const created = await upload(shop, await shop.items());

  print('Waiting for the product images');
  await waitForImages(shop, before);

  const favorite = created[0]!.products[0]!;
  print(`Adding "${favorite.title}" to the favorites of another user`);
  await fan.addFavorite(favorite.id);
  for (let tries = 0; (await shop.unreads()) <= before + plan.length && tries < 100; tries += 1) await wait(100);
  for (const { message, timeago } of (await shop.activities()).slice(0, plan.length + 1))
    print(`  ${message} (${timeago})`);

  const images = await save(created, folder, (url) => toLocalUrl(url, stack));
  print(`${images.length} images are in ${folder}; open ${pathToFileURL(join(folder, 'index.html')).href}`);
}

try {
  const flags = readFlags();
  if (flags) await runDemo(flags);
  else print(help);
} catch (error) {
  // The reason of a failed `fetch` is its cause
  const { message, cause } = error as Error;
  process.stderr.write(`${message}${cause instanceof Error ? `: ${cause.message}` : ''}\n`);
  process.exitCode = 1;
}
