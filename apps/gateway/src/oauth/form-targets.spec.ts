import fc from 'fast-check';
import { destinationOf, formTargetsOf } from './form-targets.js';

describe('the form of a consent page', () => {
  it.each([
    ['https://app.example.com/callback?x=1', 'https://app.example.com'],
    ['https://APP.example.com:8443/callback', 'https://app.example.com:8443'],
    ['https://猫.example/callback', 'https://xn--z7x.example'],
    ['https://user:secret@app.example.com/', 'https://app.example.com'],
    ['http://127.0.0.1:49152/callback', 'http://127.0.0.1:49152'],
    ['http://localhost/callback', 'http://localhost'],
    ['http://[::1]:49152/callback', 'http:'],
    ['com.example.app:/callback', 'com.example.app:'],
    ['COM.Example.App:callback', 'com.example.app:'],
  ])('may lead to %s: %s', (redirectUri, source) => {
    expect(formTargetsOf(redirectUri)).toEqual([source]);
  });

  it.each([
    'https://a;sandbox/callback',
    "https://a,b'c/callback",
    'https://a*b/',
    '/callback',
    'callback',
    '',
    '1x:/',
  ])('may lead nowhere else where the address could change the policy or is none: %j', (redirectUri) => {
    expect(formTargetsOf(redirectUri)).toEqual([]);
  });

  it('never writes anything but sources into the policy, whatever the address is', () => {
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
          expect(source).toMatch(/^(?:https?:\/\/[a-z0-9._-]+(?::\d+)?|[a-z][a-z0-9+.-]*:)$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the person is told that the answer goes', () => {
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
  ])('of %s, to a %s: %s', (redirectUri, kind, name) => {
    expect(destinationOf(redirectUri)).toEqual({ kind, name });
  });
});
