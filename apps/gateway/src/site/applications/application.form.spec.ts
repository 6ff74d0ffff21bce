import { redirectUriProblems } from '#contracts';
import { applicationTexts } from './application.texts.js';
import { UpdateForm, rejectedLines, RegistrationForm } from './application.form.js';
import { pointInTime } from './point-in-time.view.js';

const typed = {
  name: ' Stamp Book ',
  description: ' One.\r\nTwo. ',
  homePage: '',
  redirectUris: '\r\n https://a.example.com/cb \r\n\r\nhttps://b.example.com/cb\n',
};

describe('application form', () => {
  it('trims values and normalizes line breaks', () => {
    expect(RegistrationForm.parse({ ...typed, kind: 'public', csrf: 'x', id: '7' })).toEqual({
      name: 'Stamp Book',
      description: 'One.\nTwo.',
      homePage: null,
      redirectUris: ['https://a.example.com/cb', 'https://b.example.com/cb'],
      scopes: ['read'],
      namesIssuer: false,
      confidential: false,
    });
  });

  it('sets the write scope and the issuer flag for checked boxes', () => {
    expect(UpdateForm.parse({ ...typed, write: 'yes' })).toMatchObject({
      scopes: ['read', 'write'],
      namesIssuer: false,
    });
    expect(UpdateForm.parse({ ...typed, namesIssuer: 'yes' })).toMatchObject({ scopes: ['read'], namesIssuer: true });
  });

  it.each([
    ['name', '  '],
    ['name', 'a\nb'],
    ['name', 'x'.repeat(101)],
    ['description', 'x'.repeat(1_001)],
    ['name', '\u3164'],
    ['homePage', 'javascript:alert(1)'],
    ['homePage', 'https://shop.example.com@evil.example'],
    ['redirectUris', ' \n '],
    ['redirectUris', 'https://a.example.com/\n'.repeat(11)],
    ['redirectUris', `https://a.example.com/${'x'.repeat(2_000)}`],
    ['kind', 'else'],
    ['kind', undefined],
  ])('rejects %s with %j', (field, value) => {
    const result = RegistrationForm.safeParse({ ...typed, kind: 'public', [field]: value });
    expect(new Set(result.error?.issues.map(({ path }) => path[0]))).toEqual(new Set([field]));
  });
});

describe('rejectedLines', () => {
  it('returns the line numbers as typed, with the reasons', () => {
    const details = [
      { path: 'redirectUris.1', message: redirectUriProblems.http },
      { path: 'redirectUris.0', message: 'must be something new' },
      { path: 'redirectUris.9', message: redirectUriProblems.http },
    ];
    expect(rejectedLines(typed.redirectUris, details)).toEqual([
      { line: 4, uri: 'https://b.example.com/cb', reason: 'http' },
      { line: 2, uri: 'https://a.example.com/cb', reason: undefined },
    ]);
  });
});

it('has the same error texts in both languages', () => {
  const { en, ja } = applicationTexts;
  expect(Object.keys(ja.errors)).toEqual(Object.keys(en.errors));
  expect(ja.redirectUrisRules).toHaveLength(en.redirectUrisRules.length);
});

it('formats a point in time in the language, in UTC', () => {
  expect(pointInTime('2026-11-22T23:05:00.000Z', 'en')).toBe('22 November 2026 at 23:05 UTC');
  expect(pointInTime('2026-11-22T23:05:00.000Z', 'ja')).toBe('2026年11月22日 23:05 UTC');
});
