import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { user } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let browser: Browser;
let unreads: number | 'unavailable';
let listed = 0;

const session = 's'.repeat(43);
const hanako = { id: 1, name: 'Hanako', displayName: '花子', email: 'h@example.com', hasPassword: true };
const activity = (message: string, sender = user()) => ({
  id: 'a'.repeat(32),
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
        activities: [activity('taro likes your <b>.'), activity('Someone likes your T-shirt.', anonymous)],
      };
    },
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
  });
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  [unreads, listed] = [1, 0];
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
  ['HEAD', {}, 405],
  ['GET', { 'sec-purpose': 'prefetch' }, 400],
  ['GET', { purpose: 'prefetch' }, 400],
])('the page does not mark notifications as read for %s with %j', async (method, headers, status) => {
  expect([(await browser.open('/activities', headers as Record<string, string>, method)).status, listed]).toEqual([
    status,
    0,
  ]);
});
