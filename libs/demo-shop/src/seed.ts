import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#kernel';
import { openQueueClients } from '#request-queue';
import { plan } from './plan.js';
import { type Created, type Items, Storefront } from './storefront.js';
import { uploadPlanned } from './upload.js';

export interface SeedOptions {
  readonly requestsUrl: string;
  /** Password of the demo users. */
  readonly password: string;
  readonly log: (line: string) => void;
}

export interface DemoProductOptions {
  readonly requestsUrl: string;
  /** URL of the gateway as reachable from this machine. */
  readonly localUrl: string;
  /** API key of the user demo. */
  readonly apiKey: string;
  readonly log: (line: string) => void;
}

export interface Seeded {
  /** The personal API key of the user demo. */
  readonly apiKey: string;
}

type Products = Created['products'];
type Clients = Pick<Awaited<ReturnType<typeof openQueueClients>>, 'of'>;

const demoUsers = [
  { name: 'demo', email: 'demo@example.com', displayName: 'Demo' },
  { name: 'hanako', email: 'hanako@example.com', displayName: '花子' },
  { name: 'taro', email: 'taro@example.com', displayName: '太郎' },
] as const;

/**
 * Returns the result of `first`; the result of `fallback` if `first` fails with one of the codes.
 */
async function withFallback<R>(
  first: () => Promise<R>,
  codes: readonly string[],
  fallback: () => Promise<R>,
): Promise<R> {
  try {
    return await first();
  } catch (error) {
    if (!(error instanceof DomainError) || !codes.includes(error.kind.code)) throw error;
    return fallback();
  }
}

/**
 * Returns the API key of a demo user, and creates the user if missing. Reads first, because
 * creating a user hashes a password, and the users are missing on the first start only.
 */
async function ensureUser(clients: Clients, user: (typeof demoUsers)[number], password: string): Promise<string> {
  const accounts = clients.of('accounts');
  const show = () => accounts.call('keys.show-by-name', { userName: user.name });
  const create = () => accounts.call('users.create', { ...user, password });
  // A concurrent start on the same database may have created the user since `show`
  const createOrShow = () => withFallback(create, ['user.name-taken', 'user.email-taken'], show);
  return (await withFallback(show, ['user.not-found'], createOrShow)).apiKey;
}

/**
 * Returns the API keys of the demo users. Creates them in sequence, so that their ids are the same
 * in every stack.
 */
export async function ensureUsers(clients: Clients, password: string): Promise<[demo: string, ...others: string[]]> {
  const [demo, ...others] = demoUsers;
  const keys: [string, ...string[]] = [await ensureUser(clients, demo, password)];
  for (const user of others) keys.push(await ensureUser(clients, user, password));
  return keys;
}

/**
 * Resets the password of the user demo if it was changed, so that the printed password is valid.
 */
async function resetPasswordIfChanged(clients: Clients, password: string): Promise<void> {
  const accounts = clients.of('accounts');
  const visitor = { address: 'start', userAgent: null };
  try {
    const { session } = await accounts.call('sessions.open', { login: demoUsers[0].name, password, visitor });
    await accounts.call('sessions.close', { session });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind.code !== 'sign-in.refused') throw error;
    await accounts.call('users.reset-password', { name: demoUsers[0].name, password });
  }
}

/**
 * Returns the items. Waits up to about 5 s for them, because a replica of catalog may not have
 * received the broadcast `items.changed` yet.
 *
 * @throws Error when the list is still empty, or when the request fails
 */
async function waitForItems(shop: Storefront): Promise<Items> {
  for (let attempt = 1; attempt < 50; attempt++) {
    const items = await shop.items();
    if (items.length > 0) return items;
    await sleep(100);
  }
  throw new Error('the catalog is loaded, but GET /api/v1/items is still empty after 5 s');
}

async function hasMaterials({ localUrl, apiKey }: DemoProductOptions): Promise<boolean> {
  const response = await fetch(`${localUrl}/api/v1/materials?limit=1`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (!response.ok) throw new Error(`GET /api/v1/materials returned ${response.status}`);
  return ((await response.json()) as { materials: unknown[] }).materials.length > 0;
}

async function uploadDemo(shop: Storefront, log: DemoProductOptions['log']): Promise<Products> {
  const items = await waitForItems(shop);
  const created: Products = [];
  for (const material of plan.slice(0, 3)) {
    const { products } = await uploadPlanned(shop, items, material);
    created.push(...products);
    log(`${material.title}: ${products.length} products`);
  }
  return created;
}

/** Creates a choice, a banner and a promotion, so that their lists are not empty in a new stack. */
async function seedLists(clients: Clients, shop: Storefront, products: Products): Promise<void> {
  const [first] = products;
  const choiceProducts = products.filter((_, index) => index % 3 === 0).map(({ id: productId }) => ({ productId }));
  await shop.createChoice({ title: 'Out at sea', description: 'For people who like the wind.', choiceProducts });
  const catalog = clients.of('catalog');
  const { sampleImageUrl: imageUrl, sampleUrl: linkUrl } = first!;
  await catalog.call('banners.create', { displaySize: 'large', imageUrl, altText: 'Out at sea', linkUrl });
  await catalog.call('promotions.create', { name: 'Out at sea', category: 'theme', url: first!.sampleUrl });
}

/**
 * Retries a step while it fails with `service.unavailable`, because services are still starting.
 *
 * @throws the error of the step; `service.unavailable` only after `timeoutMs`
 */
export async function retryUntilServicesRun<R>(step: () => Promise<R>, timeoutMs = 120_000): Promise<R> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind.code !== 'service.unavailable') throw error;
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/**
 * Loads the catalog and creates three demo users through the request queue, without the gateway.
 * Existing users stay, but a changed password of the user demo is reset. Waits up to two minutes
 * for each of catalog and accounts to start.
 *
 * @throws DomainError or Error of the first step that fails
 */
export async function seed({ requestsUrl, password, log }: SeedOptions): Promise<Seeded> {
  return withClients(requestsUrl, async (clients) => {
    const loaded = await retryUntilServicesRun(() => clients.of('catalog').call('items.load', {}));
    log(`catalog: ${loaded.items} items, ${loaded.variants} variants`);
    const [apiKey] = await retryUntilServicesRun(() => ensureUsers(clients, password));
    await resetPasswordIfChanged(clients, password);
    return { apiKey };
  });
}

/**
 * Creates the first three demo materials with their products, a choice, a banner and a promotion,
 * unless the user demo already has materials.
 *
 * @throws DomainError or Error of the first step that fails
 */
export async function seedProducts(options: DemoProductOptions): Promise<void> {
  if (await hasMaterials(options)) return;
  const shop = new Storefront(options.localUrl, options.apiKey);
  const products = await uploadDemo(shop, options.log);
  await withClients(options.requestsUrl, (clients) => seedLists(clients, shop, products));
}

async function withClients<R>(redisUrl: string, step: (clients: Clients) => Promise<R>): Promise<R> {
  const clients = await openQueueClients({ app: 'operator', redisUrl, services: ['accounts', 'catalog'] });
  try {
    return await step(clients);
  } finally {
    await clients.close();
  }
}
