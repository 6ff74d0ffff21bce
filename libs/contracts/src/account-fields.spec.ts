import { applicationName, login } from './account-fields.js';
import { webUrl } from './field.js';
import { identityMessages } from './messages/identities.js';
import { Visitor } from './messages/sessions.js';
import {
  ChoiceCreateBody,
  ChoiceUpdateBody,
  MaterialCreateBody,
  MaterialUpdateBody,
  UserUpdateBody,
} from './requests.js';

const takes = (shape: { safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
  shape.safeParse(value).success;

/** Whether users, materials and choices may be called so. */
const titled = (title: string) => [
  takes(UserUpdateBody, { displayName: title }),
  takes(MaterialCreateBody, { texture: 'https://example.com/cat.png', title }),
  takes(MaterialUpdateBody, { title }),
  takes(ChoiceCreateBody, { title }),
  takes(ChoiceUpdateBody, { title }),
];

describe('the name of an application', () => {
  it.each([
    'Stamp Book',
    'スタンプ帳',
    'カタログ　2026',
    'Café',
    'e\u0301',
    '🐈',
    '*',
    '❤\ufe0f',
    '👩\u200d🚀',
    '👩🏽\u200d❤\ufe0f\u200d👩🏻',
  ])('may be %s, as may a title and a display name', (name) => {
    expect(takes(applicationName, name)).toBe(true);
    expect(titled(name)).toEqual([true, true, true, true, true]);
  });

  it.each([
    ['blanks', ' \u3000\u00a0'],
    ['a Hangul filler', '\u3164'],
    ['other Hangul fillers', '\u115f\u1160\uffa0'],
    ['a blank of Braille', '\u2800'],
    ['an accent on nothing', ' \u0301'],
    ['a variation selector', '\ufe0f'],
    ['a space without width', 'Stamp\u200bBook'],
    ['what turns text around', 'Stamp\u202ekooB'],
    ['an isolate', '\u2066Stamp'],
    ['a byte order mark', '\ufeffStamp'],
    ['tags', 'Stamp\u{e0041}'],
    ['a joiner of letters', 'Stamp\u200dBook'],
    ['a joiner after an emoji', '🐈\u200d'],
    ['NUL', 'Stamp\0'],
    ['half of a surrogate pair', 'Stamp\ud800'],
  ])('may not be or have %s, as may no title and no display name', (_, name) => {
    expect(takes(applicationName, name)).toBe(false);
    expect(titled(name)).toEqual([false, false, false, false, false]);
  });
});

it.each(['Stamp\nBook', 'Stamp\u2028Book'])('only titles may have several lines: %j', (name) => {
  expect([takes(applicationName, name), takes(UserUpdateBody, { displayName: name })]).toEqual([false, false]);
  expect(takes(ChoiceCreateBody, { title: name })).toBe(true);
});

it('a display name may be empty: there is none', () => {
  expect([takes(UserUpdateBody, { displayName: '' }), takes(UserUpdateBody, { displayName: null })]).toEqual([
    true,
    true,
  ]);
});

it.each([
  ['https://shop.example.com/', true],
  ['http://shop.example.com/@me', true],
  ['https://shop@evil.example/', false],
  ['https://shop.example.com:x@evil.example/', false],
  ['https://:x@evil.example/', false],
  ['https://', false],
])('an address that a page links to may be %s: %s', (address, expected) => {
  expect(takes(webUrl, address)).toBe(expected);
});

describe('what PostgreSQL cannot hold', () => {
  const visitor = { address: '192.0.2.1', userAgent: null };

  it.each(['hanako\0', '\u0007hanako', 'hanako\ud800'])('is no login: %j', (typed) => {
    expect(takes(login, typed)).toBe(false);
  });

  it('is not in a user agent or in a way back', () => {
    const begin = { provider: 'example', visit: 'x', userId: null, visitor };
    const { request } = identityMessages['identities.begin'];
    expect([takes(request, { ...begin, returnTo: '/a?b' }), takes(request, { ...begin, returnTo: '/a\0' })]).toEqual([
      true,
      false,
    ]);
    const agents = ['Mozilla/5.0 é', 'Mozilla\0'].map((userAgent) => takes(Visitor, { ...visitor, userAgent }));
    expect(agents).toEqual([true, false]);
  });
});
