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
import { toVisibleLine } from './visible-line.js';

const accepts = (shape: { safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
  shape.safeParse(value).success;

/** Returns for each shape with a title or display name if it accepts the text. */
const acceptedAsTitle = (title: string) => [
  accepts(UserUpdateBody, { displayName: title }),
  accepts(MaterialCreateBody, { texture: 'https://example.com/cat.png', title }),
  accepts(MaterialUpdateBody, { title }),
  accepts(ChoiceCreateBody, { title }),
  accepts(ChoiceUpdateBody, { title }),
];

describe('names of applications, titles and display names', () => {
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
    '👁\ufe0f\u200d🗨\ufe0f',
    '♥\ufe0e',
    '1\ufe0f\u20e3',
    '🇯🇵',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    'می\u200cخواهم',
    'کار\u200cها',
    'क\u094d\u200cष',
    'ប\u200c\u17ca\u17b8',
    'क\u094d\u200dष',
    'अवन\u094d\u200d',
    'র\u200d\u09cdয',
    '葛\u{e0100}城',
    'ᠠ\u180b',
    '홍길동',
  ])('accept %s', (name) => {
    expect(accepts(applicationName, name)).toBe(true);
    expect(acceptedAsTitle(name)).toEqual([true, true, true, true, true]);
  });

  it.each([
    ['blanks', ' \u3000\u00a0'],
    ['a Hangul filler', '\u3164'],
    ['other Hangul fillers', '\u115f\u1160\uffa0'],
    ['a Braille blank', '\u2800'],
    ['an accent without a letter', ' \u0301'],
    ['a variation selector', '\ufe0f'],
    ['a zero width space', 'Stamp\u200bBook'],
    ['a right-to-left override', 'Stamp\u202ekooB'],
    ['an isolate', '\u2066Stamp'],
    ['a byte order mark', '\ufeffStamp'],
    ['tags', 'Stamp\u{e0041}'],
    ['a joiner of letters', 'Stamp\u200dBook'],
    ['a joiner after an emoji', '🐈\u200d'],
    ['a separator of Latin letters', 'Stamp\u200cBook'],
    ['a separator at the end of a Persian word', 'می\u200c'],
    ['two separators between Persian letters', 'می\u200c\u200cخواهم'],
    ['a joiner between Arabic letters', 'ب\u200dب'],
    ['a joiner without a virama', 'क\u200dष'],
    ['a separator without a virama', 'क\u200cष'],
    ['a joiner after a vowel sign', 'क\u093f\u200dष'],
    ['a joiner between digits of Devanagari', '१\u200d२'],
    ['an embedded Hangul filler', 'Stamp\u3164Book'],
    ['an embedded choseong filler', 'Stamp\u115fBook'],
    ['an embedded jungseong filler', 'Stamp\u1160Book'],
    ['an embedded halfwidth filler', 'Stamp\uffa0Book'],
    ['an embedded Braille blank', 'Stamp\u2800Book'],
    ['a grapheme joiner', 'Stamp\u034fBook'],
    ['an inherent vowel of Khmer', 'ក\u17b4'],
    ['a musical note without a head', 'Stamp\u{1d159}'],
    ['a variation selector after a letter', 'Stamp\ufe0fBook'],
    ['a variation selector after a digit', '1\ufe0f'],
    ['two variation selectors after an emoji', '❤\ufe0f\ufe0f'],
    ['a supplementary variation selector after a letter', 'Stamp\u{e0101}'],
    ['tags after an emoji that is not a flag', '🐈\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['tags without an end', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}'],
    ['a long text in tags', `🏴${'\u{e0061}'.repeat(7)}\u{e007f}`],
    ['NUL', 'Stamp\0'],
    ['an unpaired surrogate', 'Stamp\ud800'],
  ])('reject %s', (_, name) => {
    expect(accepts(applicationName, name)).toBe(false);
    expect(acceptedAsTitle(name)).toEqual([false, false, false, false, false]);
  });
});

it.each(['Stamp\nBook', 'Stamp\u2028Book'])('accepts several lines only in titles: %j', (name) => {
  expect([accepts(applicationName, name), accepts(UserUpdateBody, { displayName: name })]).toEqual([false, false]);
  expect(accepts(ChoiceCreateBody, { title: name })).toBe(true);
});

it.each([
  ['Light\u202ehouse\u200b\nShop', 'Lighthouse Shop'],
  ['🐈\ufe0f\ufe0f\u{e0041}\u200d', '🐈\ufe0f'],
  ['می\u200c\u200cخواهم\u200c', 'میخواهم'],
  ['葛\u{e0100}城\u3164', '葛\u{e0100}城'],
  ['\u2800\u3164', ''],
  [null, ''],
])('toVisibleLine turns the stored text %j into %j', (stored, line) => {
  expect(toVisibleLine(stored)).toBe(line);
});

it('accepts an empty display name and null', () => {
  expect([accepts(UserUpdateBody, { displayName: '' }), accepts(UserUpdateBody, { displayName: null })]).toEqual([
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
])('webUrl accepts %s: %s', (address, expected) => {
  expect(accepts(webUrl, address)).toBe(expected);
});

describe('characters that PostgreSQL cannot store', () => {
  const visitor = { address: '192.0.2.1', userAgent: null };

  it.each(['hanako\0', '\u0007hanako', 'hanako\ud800'])('are rejected in a login: %j', (typed) => {
    expect(accepts(login, typed)).toBe(false);
  });

  it('are rejected in a user agent and in a return path', () => {
    const begin = { provider: 'example', browserToken: 'x', userId: null, visitor };
    const { request } = identityMessages['identities.begin'];
    expect([
      accepts(request, { ...begin, returnTo: '/a?b' }),
      accepts(request, { ...begin, returnTo: '/a\0' }),
    ]).toEqual([true, false]);
    const agents = ['Mozilla/5.0 é', 'Mozilla\0'].map((userAgent) => accepts(Visitor, { ...visitor, userAgent }));
    expect(agents).toEqual([true, false]);
  });
});
