import { messageOf, timeago, type Occurrence } from './activity.rules.js';

const hanako = { id: 1, name: 'hanako', displayName: null };
const product = { productId: 10, productTitle: 'Lighthouse T-shirt' };
const favorite: Occurrence = { kind: 'favorite', data: product };
const sale: Occurrence = { kind: 'sale', data: product };

describe('messageOf()', () => {
  it.each([
    [favorite, 'hanako likes your Lighthouse T-shirt.'],
    [sale, 'hanako bought your Lighthouse T-shirt.'],
    [
      { kind: 'material', data: { materialId: 5, materialTitle: 'Lighthouse' } },
      'The images of your Lighthouse are ready.',
    ],
    [
      { kind: 'webhook', data: { endpointId: 1, host: 'example.com' } },
      'Your webhook endpoint at example.com has been disabled because it does not accept events.',
    ],
  ] satisfies [Occurrence, string][])('is an English sentence for %j', (occurrence, sentence) => {
    expect(messageOf(occurrence, hanako, 'en')).toBe(sentence);
  });

  it.each([
    [favorite, 'hanakoさんが「Lighthouse T-shirt」をお気に入りに追加しました。'],
    [sale, 'hanakoさんが「Lighthouse T-shirt」を購入しました。'],
    [{ kind: 'material', data: { materialId: 5, materialTitle: 'Lighthouse' } }, '「Lighthouse」の画像ができました。'],
    [
      { kind: 'webhook', data: { endpointId: 1, host: 'example.com' } },
      'イベントを受信できないため、example.com のWebhookエンドポイントを無効にしました。',
    ],
  ] satisfies [Occurrence, string][])('is a Japanese sentence for %j', (occurrence, sentence) => {
    expect(messageOf(occurrence, hanako, 'ja')).toBe(sentence);
  });

  it('shows the sender by display name, or by user name without one', () => {
    expect(messageOf(favorite, { ...hanako, displayName: '花子' }, 'ja')).toMatch(/^花子さんが/);
    expect(messageOf(favorite, { ...hanako, displayName: '' }, 'ja')).toMatch(/^hanakoさんが/);
  });

  it('does not name the anonymous user', () => {
    const anonymous = { id: 0, name: 'anonymous', displayName: null };
    expect(messageOf(favorite, anonymous, 'en')).toBe('Someone likes your Lighthouse T-shirt.');
    expect(messageOf(favorite, anonymous, 'ja')).toMatch(/^匿名ユーザーが/);
    expect(messageOf(sale, anonymous, 'en')).toBe('Your Lighthouse T-shirt was sold.');
    expect(messageOf(sale, anonymous, 'ja')).toBe('「Lighthouse T-shirt」が売れました。');
  });
});

describe('timeago()', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const [minute, hour, day] = [60, 3_600, 86_400];

  it.each([
    [0, 'now', '今'],
    [59, 'now', '今'],
    [minute, '1 minute ago', '1 分前'],
    [59 * minute + 59, '59 minutes ago', '59 分前'],
    [2 * hour, '2 hours ago', '2 時間前'],
    [day - 1, '23 hours ago', '23 時間前'],
    [day, '1 day ago', '1 日前'],
    [29 * day, '29 days ago', '29 日前'],
    [30 * day, '1 month ago', '1 か月前'],
    [364 * day, '12 months ago', '12 か月前'],
    [800 * day, '2 years ago', '2 年前'],
  ])('writes %d seconds as "%s" in English and "%s" in Japanese', (seconds, english, japanese) => {
    expect(timeago(ago(seconds), now, 'en')).toBe(english);
    expect(timeago(ago(seconds), now, 'ja')).toBe(japanese);
  });

  it('returns "now" for a time in the future', () => {
    expect(timeago(ago(-90), now, 'en')).toBe('now');
  });
});
