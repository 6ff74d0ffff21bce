import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Redis } from 'ioredis';
import { type LimitedOperationName, operations, services } from '#contracts';
import { routesOf } from '../../edge/routing/declared-routes.js';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack, send } from '../../testing/gateway-stack.js';
import { names, product } from '../../testing/shop-fixture.js';
import { SiteModule } from '../site.module.js';

let stack: GatewayStack;
let redis: Redis;
let url: string;
let browser: Browser;
/** Names of the commands that services received. */
let commands: string[] = [];

const session = 's'.repeat(43);
const hanako = {
  id: 1,
  name: 'Hanako',
  displayName: '花子',
  email: 'h@example.com',
  hasPassword: false,
  isRecent: true,
};
const owner = { id: 1, name: 'Hanako', displayName: '花子', avatarUrl: null };
const choice = {
  id: 1,
  title: 'Summer',
  description: null,
  secret: false,
  bannerUrl: null,
  productsCount: 0,
  user: owner,
};
const application = {
  id: 1,
  clientId: 'c',
  name: 'Stamps',
  description: '',
  homePage: null,
  redirectUris: ['https://a.example.com/cb'],
  scopes: ['read'],
  namesIssuer: false,
  confidential: true,
  users: 0,
  createdAt: '2026-11-20T08:15:00.000Z',
};

const webhookEndpoint = {
  id: 1,
  url: 'https://example.com/hook',
  description: '',
  types: [],
  applicationId: null,
  status: 'enabled',
  disabledReason: null,
  failingSince: null,
  publicKey: null,
  oldSecretExpiresAt: null,
  lastDelivery: null,
  createdAt: '2026-11-20T08:15:00.000Z',
};

const described = { material: product(5).material, products: [product(5)], warnings: [] };

const key = randomUUID();
const material = { key, title: 'Sun', description: '', price: '1' };
const list = { key, title: 'Summer', description: '', banner: '' };
const registration = {
  name: 'Stamps',
  description: '',
  homePage: '',
  redirectUris: 'https://a.example.com/cb',
  kind: 'public',
};
const endpointForm = { url: 'https://example.com/hook', description: '' };
const newPassword = 'four words that are mine';

/** Operation and valid form of every page that is counted. */
const pages: Readonly<Record<string, readonly [LimitedOperationName, Readonly<Record<string, string>>]>> = {
  '/account/applications/:id/revoke': ['users.update', {}],
  '/account/identities/:identityId/unlink': ['users.update', {}],
  '/applications/key/replace': ['users.update', {}],
  '/account/webhooks/:id/delete': ['webhook-endpoints.delete', {}],
  '/account/webhooks/:id/deliveries/:deliveryId/replay': ['webhook-deliveries.replay', {}],
  '/account/webhooks/:id/edit': ['webhook-endpoints.update', endpointForm],
  '/account/webhooks/:id/pause': ['webhook-endpoints.update', {}],
  '/account/webhooks/:id/replay': ['webhook-deliveries.replay-failed', { period: 'day' }],
  '/account/webhooks/:id/resume': ['webhook-endpoints.update', {}],
  '/account/webhooks/:id/secret': ['webhook-endpoints.rotate-secret', {}],
  '/account/webhooks/:id/test': ['webhook-endpoints.test', {}],
  '/account/webhooks/new': ['webhook-endpoints.create', endpointForm],
  '/applications/:id/webhooks/new': ['webhook-endpoints.create', endpointForm],
  '/account/password': ['users.update', { newPassword }],
  '/account/profile': ['users.update', { displayName: 'Hana', avatar: '', header: '', homePage: '', about: '' }],
  '/applications/:id': ['users.update', registration],
  '/applications/:id/delete': ['users.update', { confirmation: 'Stamps' }],
  '/applications/:id/secret': ['users.update', {}],
  '/applications/new': ['users.update', registration],
  '/choices/:id/delete': ['choices.delete', {}],
  '/choices/:id/edit': ['choices.update', list],
  '/choices/:id/move-first': ['choices.update', { entry: '5-1' }],
  '/choices/:id/remove': ['choices.remove', { entry: '5-1' }],
  '/choices/add': ['choices.add', { choice: '1', product: '5' }],
  '/choices/new': ['choices.create', list],
  '/favorites': ['favorites.create', { add: '5' }],
  '/materials/:id/delete': ['materials.delete', {}],
  '/materials/:id/edit': ['materials.update', material],
  '/materials/:id/items/:itemId': ['materials.update', { variant: '1', resizeMode: 'contain' }],
  '/materials/:id/publication': ['materials.update', { publish: '1' }],
  '/materials/new': ['materials.create', material],
  '/materials/new/text': ['materials.text', { key, text: 'Sun', title: '', description: '', price: '1' }],
};

beforeAll(async () => {
  const all = Object.values(services).flatMap((messages) => Object.entries(messages));
  stack = await GatewayStack.start({
    ...Object.fromEntries(all.filter(([, { safe }]) => !safe).map(([name]) => [name, () => void commands.push(name)])),
    'applications.get': () => application,
    'choices.get': () => ({ choice }),
    'choices.list': () => ({ choices: [choice], meta: { hasNext: false } }),
    'favorites.create': () => ({ favorite: { id: 1, count: 1, rotation: 0, x: 0, y: 0 }, meta: { totalCount: 1 } }),
    'favorites.delete': () => ({ id: 1, count: 1, productId: 5 }),
    'favorites.own': () => ({ productIds: [] }),
    'identities.list': () => ({ identities: [] }),
    'items.list': () => ({ items: [] }),
    'items.names': () => names,
    'materials.get': () => described,
    'materials.update': () => {
      commands.push('materials.update');
      return described;
    },
    'products.get': () => ({ products: product(5), product: product(5) }),
    'webhook-endpoints.get': () => ({ webhookEndpoint }),
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
  });
  redis = new Redis(stack.redisUrl);
  url = await stack.gateway({ RATE_LIMITS: 'materials.update=2/60,favorites.delete=1/60' });
  browser = browse(url);
  browser.setSession(session);
});
afterAll(async () => {
  redis.disconnect();
  await stack.close();
});
beforeEach(async () => {
  commands = [];
  const keys = await redis.keys('rate-limit:*');
  if (keys.length > 0) await redis.del(keys);
});

const exhaust = (operation: string) => redis.set(`rate-limit:${operation}:1`, 1_000, 'EX', 60);
const submit = async (path: string, form: Readonly<Record<string, string>>) => {
  const { csrf } = await browser.open('/choices/new');
  if (path !== '/materials/new') return browser.send(path, { csrf, ...form });
  const upload = new FormData();
  for (const [name, value] of Object.entries({ csrf, ...form })) upload.append(name, value);
  upload.append('file', new Blob(['an image']), 'sun.png');
  return browser.open(path, {}, 'POST', upload);
};

it('every counted page is in the table of this test', () => {
  const controllers = Reflect.getMetadata('controllers', SiteModule) as readonly Type[];
  const counted = controllers
    .flatMap((controller) => [...routesOf(controller)])
    .filter(({ pageRateLimit }) => pageRateLimit && !('notCountedBecause' in pageRateLimit));
  expect(counted.map(({ path }) => path).sort()).toEqual(Object.keys(pages).sort());
});

it.each(Object.entries(pages))('%s writes nothing above the limit', async (route, [operation, form]) => {
  await exhaust(operation);
  const path = route.replaceAll(/:\w+/g, '1');
  const { status, headers, html } = await submit(path, form);
  expect([status, commands]).toEqual([429, []]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
  expect(html).toMatch(/you have made too many changes in a short time/i);
  const limits = Object.keys(operations).filter(
    (name) => name !== operation && 'rateLimit' in operations[name as never],
  );
  await redis.del(`rate-limit:${operation}:1`);
  for (const other of limits) await exhaust(other);
  expect((await submit(path, form)).status).not.toBe(429);
  expect(await redis.get(`rate-limit:${operation}:1`)).toBe('1');
});

it('pages and the API share a limit, over which the form is shown again with its text', async () => {
  const edit = (title: string) => submit('/materials/7/edit', { ...material, title });
  expect((await edit('Moon')).status).toBe(303);
  const response = await send('PUT', `${url}/api/v1/materials/7`, { token: 'writer', body: { title: 'Sun' } });
  expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
  const { status, html } = await edit('A new "title"');
  expect([status, html.includes('value="A new &quot;title&quot;"')]).toEqual([429, true]);
  expect(commands).toEqual(['materials.update', 'materials.update']);
});

it('invalid forms, forms of other sites and views of a material are not counted', async () => {
  await submit('/materials/7/edit', { ...material, title: '' });
  await browser.send('/materials/7/publication', { publish: '1' });
  for (const path of ['/materials/7', '/materials/7/edit', '/materials/7/delete']) await browser.open(path);
  expect(await redis.keys('rate-limit:*')).toEqual([]);
});

it('withdrawing a favorite counts as in the API', async () => {
  expect((await submit('/favorites', { remove: '5' })).status).toBe(303);
  expect((await submit('/favorites', { remove: '5' })).status).toBe(429);
  expect((await submit('/favorites', { add: '5' })).status).toBe(303);
});
