import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { product, user } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let browser: Browser;
let unreads: number | 'unavailable';
let listed = 0;
let areSubjectsUnavailable = false;
let visibleProducts: number[] | 'unavailable' | 'of a previous version';

const session = 's'.repeat(43);
const hanako = { id: 1, name: 'Hanako', displayName: '花子', email: 'h@example.com', hasPassword: true };
const activity = (message: string, sender = user({ id: 2, name: 'taro' }), id = 'a'.repeat(32)) => ({
  id,
  message,
  timeago: '2 hours ago',
  eventType: 'favorite',
  eventAction: 'provide',
  createdAt: '2026-11-20 09:00:00 +0000',
  sender,
  receiver: user(),
  event: null,
});

beforeAll(async () => {
  stack = await GatewayStack.start({
    'activities.unreads': () => {
      if (unreads === 'unavailable') throw new DomainError(problems['service.unavailable'], 'Down.');
      return { unreads };
    },
    'activities.list': () => {
      listed += 1;
      const anonymous = user({ id: 0, name: 'anonymous', displayName: null });
      return {
        activities: [
          activity('taro likes your <b>.'),
          activity('Someone likes your T-shirt.', anonymous),
          activity('The images of your Sun are ready.', user(), 'b'.repeat(32)),
          activity('Your webhook has been disabled.', user(), 'c'.repeat(32)),
          ...['d', 'e', 'f'].map((digit) => activity('Your mug was sold.', anonymous, digit.repeat(32))),
        ],
      };
    },
    'activities.subjects': (payload: { activityIds: string[] }) => {
      if (areSubjectsUnavailable) throw new DomainError(problems['service.unavailable'], 'Down.');
      expect(payload).toEqual({
        viewerId: 1,
        activityIds: ['a', 'a', 'b', 'c', 'd', 'e', 'f'].map((digit) => digit.repeat(32)),
      });
      return {
        subjects: [
          { activityId: 'b'.repeat(32), kind: 'material', id: 7 },
          { activityId: 'c'.repeat(32), kind: 'webhook', id: 3 },
        ],
        ...(visibleProducts !== 'of a previous version' && {
          products: [
            { activityId: 'd'.repeat(32), productId: 5 },
            { activityId: 'e'.repeat(32), productId: 6 },
            { activityId: 'f'.repeat(32), productId: 5 },
          ],
        }),
      };
    },
    'products.page': (payload: object) => {
      if (visibleProducts === 'unavailable') throw new DomainError(problems['service.unavailable'], 'Down.');
      const entries = [5, 6].map((productId) => ({ productId, itemVariantId: null }));
      expect(payload).toEqual({ viewerId: 1, entries, nextOffset: null });
      return { products: (visibleProducts as number[]).map((id) => product(id)), meta: { hasNext: false } };
    },
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
  });
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  [unreads, listed, areSubjectsUnavailable, visibleProducts] = [1, 0, false, []];
  browser.clearCookies();
  browser.setSession(session);
});

it('the header shows the number of unread notifications', async () => {
  expect((await browser.open('/account')).html).toContain(
    '<span class="mark">1<span class="visually-hidden"> unread</span></span>',
  );
  unreads = 1_000;
  expect((await browser.open('/account')).html).toContain('<span class="mark">99+<span');
});

it('the header has no number while the activity service is unavailable', async () => {
  unreads = 'unavailable';
  const { status, html } = await browser.open('/account');
  expect([status, html.includes('unread')]).toEqual([200, false]);
});

it('the page lists notifications, marks unread ones, and resets the number', async () => {
  const { status, html } = await browser.open('/activities');
  expect([status, html.match(/<span class="mark">/g)]).toEqual([200, ['<span class="mark">']]);
  expect(html).toContain('taro likes your &lt;b&gt;.');
  expect(html).not.toContain('href="/anonymous"');
  expect(html).not.toContain('unread');
});

it.each([
  [[5], ['/Hanako/7/t-shirt/s/white', '/Hanako/7/t-shirt/s/white']],
  ['unavailable' as const, []],
  ['of a previous version' as const, []],
])('the page links to products, if they are visible: %j', async (products, paths) => {
  visibleProducts = products;
  const { status, html } = await browser.open('/activities');
  expect([...html.matchAll(/<a href="([^"]*)">Your mug was sold\.<\/a>/g)].map(([, path]) => path)).toEqual(paths);
  expect([status, html.includes('href="/materials/7"')]).toEqual([200, true]);
});

it('the page links to materials, webhooks and other users, and not to the user as the sender', async () => {
  const { html } = await browser.open('/activities');
  const [, main] = html.split('<main');
  expect([...main!.matchAll(/<li>.*?<a href="([^"]*)"/g)].map(([, path]) => path)).toEqual([
    '/taro',
    '/materials/7',
    '/account/webhooks/3',
  ]);
  expect(main).not.toContain('href="/Hanako"');
  areSubjectsUnavailable = true;
  const without = await browser.open('/activities');
  expect([without.status, without.html.includes('href="/materials/7"')]).toEqual([200, false]);
});

it.each([
  ['HEAD', {}, 405],
  ['GET', { 'sec-purpose': 'prefetch' }, 400],
  ['GET', { purpose: 'prefetch' }, 400],
])('the page does not mark notifications as read for %s with %j', async (method, headers, status) => {
  expect([(await browser.open('/activities', headers as Record<string, string>, method)).status, listed]).toEqual([
    status,
    0,
  ]);
});
