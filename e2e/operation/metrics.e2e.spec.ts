import { eventually as eventuallyIn, Scrape } from '#testing';
import { allMetrics } from '../../tools/checks/metrics-table.js';
import { browse } from '../../apps/gateway/src/testing/browse.js';
import { artwork } from '../support/artwork.js';
import type { Product } from '../documents/tour.js';
import { api, baseUrl, call, inWaves, newMaterial, newUser, type User } from '../support/shop.js';

const internalUrls = process.env.E2E_INTERNAL_PORTS!.split(',').map((port) => `http://127.0.0.1:${port}`);

/** Scrapes the metrics of all processes. Two apps have two processes. */
async function scrapeAll(): Promise<(readonly [app: string, scrape: Scrape])[]> {
  return Promise.all(
    internalUrls.map(async (url) => {
      const scrape = await Scrape.of(url);
      return [/^storefront_build_info\{app="(?<app>[a-z-]+)"/m.exec(scrape.text)!.groups!['app']!, scrape] as const;
    }),
  );
}

/** Returns the sum of a metric over all processes. */
async function sumOf(name: string, labels: Record<string, string>): Promise<number> {
  const scrapes = await scrapeAll();
  return scrapes.reduce((sum, [, scrape]) => sum + (scrape.sum(name, labels) ?? 0), 0);
}

let user: User;
let fan: User;
let product: Product;

const upload = async (texture?: string): Promise<void> => {
  const products = [{ itemId: 1, published: true }];
  product = (await newMaterial(user, { products, ...(texture !== undefined && { texture }) })).products[0];
};
let width = 300;
/** Uploads a new image. */
const uploadNewImage = async (): Promise<void> => upload(await artwork((width += 1), 400));
/** Uploads a new image, and requests product images of it that are not rendered ahead. */
const requestNewImages = async (edge: 323 | 1530, angle = '', formats = ['webp']): Promise<void> => {
  await uploadNewImage();
  const { size, color } = product.sampleItemVariant;
  const url = product.imageUrl
    .replace('{width}x{height}', `${edge}x${edge}`)
    .replace('/{size}/{color}[/angle]', `/${size.name}/${color.name}${angle}`);
  for (const format of formats) expect((await fetch(url.replace('.webp', `.${format}`))).status).toBe(200);
};
/** Sends a request eight times: the first ones may be misses, because each replica has a cache. */
const repeatedly = async (send: () => Promise<unknown>): Promise<void> => {
  for (let time = 0; time < 8; time++) await send();
};
const requestImage = (): Promise<void> => repeatedly(() => fetch(product.sampleImageUrl));
const listProducts = (): Promise<void> => repeatedly(() => api('GET', '/products?limit=7', { token: user.apiKey }));
let offset = 1_000;
/** Lists products with an offset that no other request has, so that the gateway has no reply. */
const listOthers = (): Promise<unknown> =>
  api('GET', `/products?limit=7&offset=${(offset += 1)}`, { token: user.apiKey });
const placeFavorite = (): Promise<unknown> =>
  api('POST', `/products/${product.id}/favorites`, { token: fan.apiKey, body: { count: 1 } });
const createText = (body: string): Promise<unknown> =>
  api('POST', '/materials/text', { token: user.apiKey, body: { text: body } });
const signIn = async (): Promise<void> => {
  const person = browse(baseUrl);
  const { csrf } = await person.open('/sign-in');
  await person.send('/sign-in', { csrf, login: 'unknown', password: 'wrong', to: '/account' });
};
const nothing = (): Promise<void> => Promise.resolve();

/** Counters and histograms, each with an action that increases it. */
const actions: readonly (readonly [name: string, labels: Record<string, string>, work: () => Promise<unknown>])[] = [
  ['gateway_images_total', { outcome: 'found' }, requestImage],
  ['cache_lookups_total', { cache: 'replies', outcome: 'hit' }, listProducts],
  ['cache_lookups_total', { cache: 'responses', outcome: 'miss' }, listOthers],
  ['rq_server_pop_items_count', { service: 'catalog' }, listProducts],
  ['rq_server_exec_seconds_count', { service: 'catalog', pattern: 'products.list' }, listOthers],
  ['rq_server_exec_seconds_count', { service: 'catalog', pattern: 'replies.validate' }, listProducts],
  ['events_published_total', { event: 'favorite.placed', subscriber: 'activity' }, placeFavorite],
  ['events_consumed_total', { service: 'activity', event: 'favorite.placed', outcome: 'done' }, placeFavorite],
  ['event_consuming_seconds_count', { service: 'activity', event: 'favorite.placed' }, placeFavorite],
  ['rendering_textures_total', { outcome: 'new' }, uploadNewImage],
  [
    'rendering_textures_total',
    { outcome: 'texture.unsupported-format' },
    () => upload('data:image/png;base64,Z29vZA==').catch(nothing),
  ],
  ['rendering_texts_total', { outcome: 'rendered' }, () => createText('Metrics')],
  ['rendering_texts_total', { outcome: 'text.not-printable' }, () => createText('\u{13000}')],
  ['rendering_images_total', { purpose: 'prepared', outcome: 'rendered' }, uploadNewImage],
  ['rendering_image_seconds_count', { format: 'webp' }, uploadNewImage],
  // A size that no other test requests: a cached plan or blank would not be counted
  ['rendering_step_seconds_count', { step: 'plan' }, () => requestNewImages(1530)],
  ['rendering_step_seconds_count', { step: 'blank' }, () => requestNewImages(1530, '/back')],
  ...['decode', 'ink', 'compose', 'encode'].map(
    (step) =>
      ['rendering_step_seconds_count', { step, ...(step === 'encode' && { format: 'webp' }) }, uploadNewImage] as const,
  ),
  // One of the two replicas renders at least two of the three images, the second with a cached plan
  [
    'cache_lookups_total',
    { cache: 'rendering-plan', outcome: 'hit' },
    () => requestNewImages(323, '', ['webp', 'png', 'jpg']),
  ],
  ['cache_lookups_total', { cache: 'rendering-ink', outcome: 'miss' }, uploadNewImage],
  ['database_pool_wait_seconds_count', {}, listProducts],
  ['accounts_sign_in_attempts_total', { limit: 'attempts:login', outcome: 'counted' }, signIn],
];

beforeAll(async () => {
  [user, fan] = await Promise.all([newUser(), newUser()]);
  await upload();
});

describe('the metrics of all processes', () => {
  it('are those of docs/metrics.md, in the listed apps', async () => {
    const all = await allMetrics();
    for (const [app, scrape] of await scrapeAll()) {
      const expected = all.filter(({ apps }) => apps.some((name) => name === app));
      expect([app, Object.fromEntries(scrape.declared)]).toEqual([
        app,
        Object.fromEntries(expected.map(({ name, type, help }) => [name, { type, help }])),
      ]);
    }
  });

  it('have exactly the labels of docs/metrics.md', async () => {
    const labels = new Map((await allMetrics()).map((metric) => [metric.name, metric.labels]));
    for (const [app, scrape] of await scrapeAll())
      for (const [, name, text] of scrape.text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
        const known = labels.get(name!) ?? labels.get(name!.replace(/_(?:bucket|sum|count)$/, ''));
        const used = text!.split(/"(?:,|$)/).flatMap((pair) => (pair === '' ? [] : [pair.split('=')[0]!]));
        expect([app, name, used.filter((label) => label !== 'le' && !known?.includes(label))]).toEqual([app, name, []]);
      }
  });

  it.each(actions)('count an action in %s %j', async (name, labels, work) => {
    const before = await sumOf(name, labels);
    await work();
    await eventuallyIn(name, async () => (await sumOf(name, labels)) > before);
  });

  it('have one line per route, independent of the number of URLs', async () => {
    const lines = async () => (await scrapeAll()).reduce((sum, [, { text }]) => sum + text.split('\n').length, 0);
    const addresses = (n: number) => [`/api/v1/products/${n}`, `/nowhere/${n}`, `/images/v1/1x${n}/mug`];
    const send = (from: number) =>
      inWaves(40, (at) => Promise.all(addresses(from + at).map((path) => call('GET', path, { token: user.apiKey }))));
    await send(1_000_000);
    const before = await lines();
    await send(2_000_000);
    // Less than one line for each of the 120 URLs. A replica may have new lines of a known route
    expect((await lines()) - before).toBeLessThan(100);
  });

  it('report no failed jobs and empty outboxes at rest', async () => {
    for (const [app, scrape] of await scrapeAll()) {
      if (app === 'gateway') continue;
      expect([app, scrape.sum('event_queue_jobs', { state: 'failed' }) ?? 0]).toEqual([app, 0]);
      await eventuallyIn(`an empty outbox of ${app}`, async () => {
        const now = (await scrapeAll()).filter(([name]) => name === app);
        return now.every(([, it]) => it.sum('outbox_oldest_seconds') === 0);
      });
    }
  });
});
