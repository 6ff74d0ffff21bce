import { matchesRedirectUri, findRedirectUriError, withParameters } from './redirect-uri.rules.js';

describe('findRedirectUriError accepts', () => {
  it.each([
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com/callback?from=shop&x=%20',
    'https://app.example.com/callback?promo_code=1&Code=1&a=code',
    'https://app.example.com:8443/@me/callback',
    'https://xn--z7x.example/callback',
    'https://192.0.2.1/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:49152/callback',
    'http://[::1]:49152/callback',
    'http://localhost:3000',
    'com.example.app:/callback',
    'com.example.app://callback',
    'com.example.my-app2:callback?x=1',
    `https://app.example.com/${'a'.repeat(2_000 - 24)}`,
  ])('%s', (uri) => {
    expect(findRedirectUriError(uri)).toBeNull();
  });
});

describe('findRedirectUriError rejects', () => {
  it.each([
    ['a public host without encryption', 'http://app.example.com/callback', 'must use https'],
    ['a host with localhost as a prefix', 'http://localhost.evil.example/', 'must use https'],
    ['a host with 127.0.0.1 as a prefix', 'http://127.0.0.1.evil.example/', 'must use https'],
    ['another loopback address', 'http://127.0.0.2/', 'must use https'],
    ['the unspecified address', 'http://0.0.0.0/', 'must use https'],
    ['a scheme that is no reversed domain', 'myapp:/callback', 'must use https, or a scheme'],
    ['a script', 'javascript:alert(1)//', 'must use https, or a scheme'],
    ['a script in the form of a URL', 'javascript://app.example.com/%0aalert(1)', 'must use https, or a scheme'],
    ['a document', 'data:text/html,hello', 'must use https, or a scheme'],
    ['a file', 'file:///etc/passwd', 'must use https, or a scheme'],
    ['a blob', 'blob:https://app.example.com/1', 'must use https, or a scheme'],
    ['an about: URL', 'about:blank', 'must use https, or a scheme'],
    ['another protocol', 'wss://app.example.com/', 'must use https, or a scheme'],
    ['a scheme that ends with a dot', 'com.:/callback', 'must use https, or a scheme'],
    ['a fragment', 'https://app.example.com/#', 'must not have a fragment'],
    ['a user name', 'https://app.example.com@evil.example/', 'must not contain a user name'],
    ['a user name of a custom scheme', 'com.example.app://user@host/', 'must not contain a user name'],
    ['an empty user name', 'https://@app.example.com/', 'must be in normal form'],
    [
      'a user name in the form of a loopback address',
      'http://127.0.0.1:80@evil.example/',
      'must not contain a user name',
    ],
    ['a wildcard', 'https://*.example.com/', 'must not have a wildcard'],
    ['a backslash', 'https://app.example.com\\@evil.example/', 'must contain only characters'],
    ['a space', 'https://app.example.com/a b', 'must contain only characters'],
    ['a line break', 'https://app.example.com/\r\nSet-Cookie: a=b', 'must contain only characters'],
    ['a tab that URL parsers skip', 'https://app.exa\tmple.com/', 'must contain only characters'],
    ['NUL', 'https://app.example.com/\0', 'must contain only characters'],
    ['a homograph', 'https://аpple.example/', 'must contain only characters'],
    ['a dot of another script', 'https://app.example.com。evil.example/', 'must contain only characters'],
    ['a bidirectional control character', 'https://app.example.com/\u202e', 'must contain only characters'],
    ['an invalid percent encoding', 'https://app.example.com/%zz', 'must contain only characters'],
    ['no scheme', '//app.example.com/', 'must be an absolute URI'],
    ['an empty string', '', 'must be an absolute URI'],
    ['a port that does not exist', 'https://app.example.com:99999/', 'must be an absolute URI'],
    ['capital letters in the host', 'https://APP.example.com/', 'must be in normal form'],
    ['the usual port', 'https://app.example.com:443/', 'must be in normal form'],
    ['dot segments', 'https://app.example.com/a/../b', 'must be in normal form'],
    ['encoded dot segments', 'https://app.example.com/a/%2e%2e/b', 'must be in normal form'],
    ['a missing slash', 'https:app.example.com/', 'must be in normal form'],
    ['one slash too many', 'https:///app.example.com/', 'must be in normal form'],
    ['an encoded host', 'https://app.ex%61mple.com/', 'must be in normal form'],
    ['an IPv4 address in hexadecimal digits', 'https://0x7f.1/', 'must be in normal form'],
    ['a parameter code', 'https://app.example.com/?a=b&code=mine', 'must not have the query parameters code'],
    [
      'a percent-encoded parameter code',
      'https://app.example.com/?%63ode=mine',
      'must not have the query parameters code',
    ],
    ['a parameter state', 'com.example.app:/callback?state', 'must not have the query parameters code'],
    ['a parameter iss', 'http://127.0.0.1/?iss=https://evil.example', 'must not have the query parameters code'],
    ['a parameter error', 'https://app.example.com/?error=a', 'must not have the query parameters code'],
    [
      'a parameter error_description',
      'https://app.example.com/?error_description=a',
      'must not have the query parameters code',
    ],
    ['a parameter error_uri', 'https://app.example.com/?error_uri=a', 'must not have the query parameters code'],
    ['more than 2,000 characters', `https://app.example.com/${'a'.repeat(2_001 - 24)}`, 'must have at most 2000'],
  ])('%s', (_, uri, problem) => {
    expect(findRedirectUriError(uri)).toContain(problem);
  });
});

describe('matchesRedirectUri', () => {
  it.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback'],
    ['http://127.0.0.1:3000/callback', 'http://127.0.0.1:51004/callback'],
    ['http://127.0.0.1:3000/callback', 'http://127.0.0.1/callback'],
    ['http://[::1]/callback?x=1', 'http://[::1]:51004/callback?x=1'],
    ['http://localhost', 'http://localhost:3000'],
  ])('accepts for %s another port: %s', (registered, given) => {
    expect(matchesRedirectUri(registered, given)).toBe(true);
  });

  it.each([
    ['https://app.example.com/callback', 'https://app.example.com/callback/'],
    ['https://app.example.com/callback', 'https://app.example.com/Callback'],
    ['https://app.example.com/callback', 'https://app.example.com/callback?x=1'],
    ['https://app.example.com/callback', 'https://app.example.com/callback#'],
    ['https://app.example.com/callback', 'https://app.example.com:443/callback'],
    ['https://app.example.com/callback', 'https://app.example.com:8443/callback'],
    ['https://app.example.com/callback', 'http://app.example.com/callback'],
    ['https://app.example.com/callback', 'https://app.example.com/callback/../evil'],
    ['https://app.example.com/callback', 'https://app.example.com.evil.example/callback'],
    ['https://app.example.com', 'https://app.example.com/'],
    ['https://localhost:3000/', 'https://localhost:3001/'],
    ['http://127.0.0.1/callback', 'http://localhost/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:99999/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:/callback/'],
    ['http://127.0.0.1', 'http://127.0.0.1:80@evil.example'],
    ['http://127.0.0.1', 'http://127.0.0.1:80\\@evil.example'],
    ['http://localhost', 'http://localhost.evil.example'],
    ['com.example.app:/callback', 'com.example.app:/callback2'],
  ])('rejects for %s: %s', (registered, given) => {
    expect(matchesRedirectUri(registered, given)).toBe(false);
  });
});

describe('withParameters', () => {
  it.each([
    ['https://app.example.com/callback', 'https://app.example.com/callback?code=a+b'],
    ['https://app.example.com', 'https://app.example.com?code=a+b'],
    ['https://app.example.com/?x=%20&y', 'https://app.example.com/?x=%20&y&code=a+b'],
    ['https://app.example.com/?', 'https://app.example.com/?code=a+b'],
    ['http://[::1]:51004/callback', 'http://[::1]:51004/callback?code=a+b'],
    ['com.example.app:/callback', 'com.example.app:/callback?code=a+b'],
    ['com.example.app:callback', 'com.example.app:callback?code=a+b'],
  ])('appends to %s without changing it', (uri, expected) => {
    expect(withParameters(uri, { code: 'a b' })).toBe(expected);
  });

  it('encodes parameters, so that none can be injected', () => {
    const state = 'x&code=evil#\r\nSet-Cookie: a=b';
    const to = new URL(withParameters('https://app.example.com/callback', { state, code: 'good' }));
    expect([...to.searchParams]).toEqual([
      ['state', state],
      ['code', 'good'],
    ]);
    expect(to.hash).toBe('');
  });
});
