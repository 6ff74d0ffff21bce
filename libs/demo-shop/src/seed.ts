import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#kernel';
import { openQueueClients } from '#request-queue';
import { plan } from './plan.js';
import { type Created, type Items, Storefront } from './storefront.js';
import { uploadPlanned } from './upload.js';

export interface SeedOptions {
  readonly requestsUrl: string;
  /** Of the demo users. */
  readonly password: string;
  readonly say: (line: string) => void;
}

export interface DemoProductOptions {
  readonly requestsUrl: string;
  /** Where the gateway is reached from this machine. */
  readonly localUrl: string;
  /** Of the user demo. */
  readonly apiKey: string;
  readonly say: (line: string) => void;
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

/** What the first way gives; what the other one gives when it was refused with one of the codes. */
async function orElse<R>(first: () => Promise<R>, codes: readonly string[], other: () => Promise<R>): Promise<R> {
  try {
    return await first();
  } catch (error) {
    if (!(error instanceof DomainError) || !codes.includes(error.kind.code)) throw error;
    return other();
  }
}

/**
 * The API key of a demo user, who is made when missing. Asked for first: to make a user hashes a password, and every
 * start but one finds them all.
 */
async function provideUser(clients: Clients, user: (typeof demoUsers)[number], password: string): Promise<string> {
  const accounts = clients.of('accounts');
  const show = () => accounts.call('keys.show-by-name', { userName: user.name });
  const make = () => accounts.call('users.create', { ...user, password });
  // Taken after all: another start on the same database was a moment earlier
  const provide = () => orElse(make, ['user.name-taken', 'user.email-taken'], show);
  return (await orElse(show, ['user.not-found'], provide)).apiKey;
}

/** The API keys of the demo users. They are made one after the other, so that they have the same ids in every stack. */
export async function provideUsers(clients: Clients, password: string): Promise<[demo: string, ...others: string[]]> {
  const [demo, ...others] = demoUsers;
  const keys: [string, ...string[]] = [await provideUser(clients, demo, password)];
  for (const user of others) keys.push(await provideUser(clients, user, password));
  return keys;
}

/** What the start prints lets the user demo in: the password is set again when somebody has changed it. */
async function settlePassword(clients: Clients, password: string): Promise<void> {
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

/** A replica of catalog may hear of the loaded items a moment later. */
async function loadedItems(shop: Storefront): Promise<Items> {
  for (let attempt = 1; attempt < 50; attempt++) {
    const items = await shop.items();
    if (items.length > 0) return items;
    await sleep(100);
  }
  throw new Error('the catalogue is loaded, but GET /api/v1/items stays empty');
}

async function hasMaterials({ localUrl, apiKey }: DemoProductOptions): Promise<boolean> {
  const answer = await fetch(`${localUrl}/api/v1/materials?limit=1`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (!answer.ok) throw new Error(`GET /api/v1/materials was answered ${answer.status}`);
  return ((await answer.json()) as { materials: unknown[] }).materials.length > 0;
}

async function uploadDemo(shop: Storefront, say: DemoProductOptions['say']): Promise<Products> {
  const items = await loadedItems(shop);
  const made: Products = [];
  for (const material of plan.slice(0, 3)) {
    const { products } = await uploadPlanned(shop, items, material);
    made.push(...products);
    say(`${material.title}: ${products.length} products`);
  }
  return made;
}

/** A choice, a banner and a promotion, so that no list of a new stack is empty. */
async function furnish(clients: Clients, shop: Storefront, products: Products): Promise<void> {
  const [first] = products;
  const choiceProducts = products.filter((_, index) => index % 3 === 0).map(({ id: productId }) => ({ productId }));
  await shop.createChoice({ title: 'Out at sea', description: 'For people who like the wind.', choiceProducts });
  const catalog = clients.of('catalog');
  await catalog.call('banners.create', { displaySize: 'large', imageUrl: first!.sampleImageUrl });
  await catalog.call('promotions.create', { name: 'Out at sea', category: 'theme', url: first!.sampleUrl });
}

/**
 * Runs a step again while a service that it calls has not started yet.
 *
 * @throws the error of the step, `service.unavailable` after `withinMs`
 */
export async function onceServicesRun<R>(step: () => Promise<R>, withinMs = 120_000): Promise<R> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind.code !== 'service.unavailable') throw error;
      if (performance.now() > end) throw error;
      await sleep(50);
    }
  }
}

/**
 * Loads the catalogue and makes three demo users, through the request queue: the gateway need not run. What is there
 * already stays. Waits at most two minutes for accounts and catalog to start.
 *
 * @throws DomainError or Error of the first step that fails
 */
export async function seed({ requestsUrl, password, say }: SeedOptions): Promise<Seeded> {
  return withClients(requestsUrl, async (clients) => {
    const loaded = await onceServicesRun(() => clients.of('catalog').call('items.load', {}));
    say(`catalogue: ${loaded.items} items, ${loaded.variants} variants`);
    const [apiKey] = await onceServicesRun(() => provideUsers(clients, password));
    await settlePassword(clients, password);
    return { apiKey };
  });
}

/**
 * Makes the demo products through the gateway, and a choice, a banner and a promotion of them, unless the user demo has
 * materials already.
 *
 * @throws DomainError or Error of the first step that fails
 */
export async function seedProducts(options: DemoProductOptions): Promise<void> {
  if (await hasMaterials(options)) return;
  const shop = new Storefront(options.localUrl, options.apiKey);
  const products = await uploadDemo(shop, options.say);
  await withClients(options.requestsUrl, (clients) => furnish(clients, shop, products));
}

async function withClients<R>(redisUrl: string, step: (clients: Clients) => Promise<R>): Promise<R> {
  const clients = await openQueueClients({ app: 'operator', redisUrl, services: ['accounts', 'catalog'] });
  try {
    return await step(clients);
  } finally {
    await clients.close();
  }
}
