import fc from 'fast-check';
import { destinationOf, formTargetsOf } from './form-target.rules.js';

describe('formTargetsOf', () => {
  it.each([
    // The callback may redirect on to any other site
    ['https://app.example.com/callback?x=1', 'https:'],
    ['https://APP.example.com:8443/callback', 'https:'],
    ['http://127.0.0.1:49152/callback', 'https: http://127.0.0.1:* http://localhost:*'],
    ['http://localhost/callback', 'https: http://127.0.0.1:* http://localhost:*'],
    ['http://[::1]:49152/callback', 'https: http:'],
    ['com.example.app:/callback', 'com.example.app:'],
    ['COM.Example.App:callback', 'com.example.app:'],
  ])('returns for %s the sources: %s', (redirectUri, sources) => {
    expect(formTargetsOf(redirectUri).join(' ')).toBe(sources);
  });

  it.each([
    'http://app.example.com/callback',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    "http://a;script-src'unsafe-inline'/",
    '/callback',
    'callback',
    '',
    '1x:/',
  ])('returns no source for an invalid URI or one that could change the policy: %j', (redirectUri) => {
    expect(formTargetsOf(redirectUri)).toEqual([]);
  });

  it('returns nothing but sources for any URI', () => {
    const piece = fc.constantFrom(
      ';',
      ',',
      ' ',
      "'",
      '*',
      '\r\n',
      '\t',
      '%0a',
      '//',
      ':',
      '@',
      '[',
      'a',
      '.',
      '猫',
      '\0',
    );
    const address = fc
      .tuple(fc.constantFrom('https://', 'http://', 'https:', 'x-app:', ''), fc.array(piece, { maxLength: 12 }))
      .map(([start, rest]) => start + rest.join(''));
    fc.assert(
      fc.property(fc.oneof(address, fc.webUrl(), fc.string()), (redirectUri) => {
        for (const source of formTargetsOf(redirectUri))
          expect(source).toMatch(/^(?:http:\/\/(?:127\.0\.0\.1|localhost):\*|[a-z][a-z0-9+.-]*:)$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('destinationOf', () => {
  it.each([
    ['https://app.example.com:8443/callback', 'site', 'app.example.com:8443'],
    ['https://app.example.com@evil.example/', 'site', 'evil.example'],
    ['https://аpple.example/', 'site', 'xn--pple-43d.example'],
    ['http://localhost:3000/callback', 'device', 'localhost:3000'],
    ['http://127.9.0.1:3000/callback', 'device', '127.9.0.1:3000'],
    ['http://[::1]:3000/callback', 'device', '[::1]:3000'],
    ['https://127.0.0.1.evil.example/', 'site', '127.0.0.1.evil.example'],
    ['https://localhost.evil.example/', 'site', 'localhost.evil.example'],
    ['com.example.app:/callback', 'app', 'com.example.app:'],
  ])('returns for %s the %s %s', (redirectUri, kind, name) => {
    expect(destinationOf(redirectUri)).toEqual({ kind, name });
  });
});
