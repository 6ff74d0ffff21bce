import { disallowedUrls, internalUrls } from '#testing';
import { AddressNotAllowed } from './address-not-allowed.js';
import { outboundUrl, type UrlRules } from './outbound-url.js';

const rules: UrlRules = { protocols: ['http', 'https'], ports: [80, 443], allowedHosts: new Set() };
const allowing = (...hosts: string[]): UrlRules => ({ ...rules, allowedHosts: new Set(hosts) });

const rejected = expect.any(AddressNotAllowed);

const attempt = (text: string, given = rules, base?: string): unknown => {
  try {
    return outboundUrl(text, given, base).href;
  } catch (error) {
    return error;
  }
};

describe('outboundUrl', () => {
  it('is tested with at least sixty spellings of an internal address', () => {
    expect(new Set(internalUrls).size).toBeGreaterThanOrEqual(60);
  });

  it.each(internalUrls)('rejects the internal address %j', (text) => {
    expect(attempt(text)).toEqual(rejected);
  });

  it.each(disallowedUrls)('rejects %s', (_what, text) => {
    expect(attempt(text)).toEqual(rejected);
  });

  it.each([
    'http://example.com/cat.png',
    'https://example.com/cat.png?x=1#y',
    'http://example.com:443/',
    'https://example.com:80/',
    'http://8.8.8.8/',
    'http://172.32.0.1/',
    'https://[2606:4700::1111]/',
    'http://localhost.example.com/',
  ])('accepts %s', (text) => {
    expect(attempt(text)).toEqual(expect.any(String));
  });

  it.each([
    ['http://[', 'it is not a URL'],
    ['ftp://example.com/', 'it must be http or https'],
    ['http://user@example.com/', 'it must not contain a user name or a password'],
    ['http://example.com:22/', 'its port must be 80 or 443'],
    ['http://10.0.0.1/', 'it is not on the public internet'],
    ['http://localhost/', 'it is not on the public internet'],
  ])('rejects %s with the reason: %s', (text, reason) => {
    expect(attempt(text)).toMatchObject({ reason, message: `the address is not allowed: ${reason}` });
  });

  it('resolves a relative URL of a redirect', () => {
    expect(attempt('../cat.png', rules, 'https://example.com/a/b')).toBe('https://example.com/cat.png');
    expect(attempt('//127.0.0.1/', rules, 'https://example.com/')).toEqual(rejected);
  });

  it('accepts an internal host that an operator allows, on any port or on one', () => {
    expect(attempt('http://127.0.0.1:8080/cat.png', allowing('127.0.0.1'))).toBe('http://127.0.0.1:8080/cat.png');
    expect(attempt('http://LocalHost:8080/', allowing('localhost:8080'))).toBe('http://localhost:8080/');
    expect(attempt('http://[::1]:81/', allowing('[::1]'))).toBe('http://[::1]:81/');
    expect(attempt('http://localhost:8081/', allowing('localhost:8080'))).toEqual(rejected);
    expect(attempt('http://127.0.0.2/', allowing('127.0.0.1'))).toEqual(rejected);
  });

  it('rejects a user name, and protocols other than http and https, of an allowed host too', () => {
    expect(attempt('http://user@localhost/', allowing('localhost'))).toEqual(rejected);
    expect(attempt('ftp://localhost/', allowing('localhost'))).toMatchObject({ reason: 'it must be http or https' });
  });

  it('does not include the host and the credentials of a rejected address in the error', () => {
    expect(String(attempt('http://user:hunter2@10.9.8.7/'))).not.toMatch(/hunter2|10\.9\.8\.7/);
  });
});

describe('outboundUrl with https and ranges of ports only', () => {
  const strict: UrlRules = { protocols: ['https'], ports: [80, 443, [1024, 65_535]], allowedHosts: new Set(['[::1]']) };

  it.each([80, 443, 1024, 8443, 65_535])('accepts port %i', (port) => {
    expect(attempt(`https://example.com:${port}/`, strict)).toEqual(expect.any(String));
  });

  it.each([0, 22, 79, 444, 1023])('rejects port %i', (port) => {
    expect(attempt(`https://example.com:${port}/`, strict)).toMatchObject({
      reason: 'its port must be 80, 443 or 1024 to 65535',
    });
  });

  it('rejects http, except to an allowed host', () => {
    expect(attempt('http://example.com/', strict)).toMatchObject({ reason: 'it must be https' });
    expect(attempt('http://[::1]:22/', strict)).toBe('http://[::1]:22/');
  });

  it.each(internalUrls)('rejects the internal address %j on a high port', (text) => {
    if (!URL.canParse(text)) throw new Error(text);
    const url = new URL(text);
    url.protocol = 'https:';
    url.port = '8443';
    expect(attempt(url.href, { ...strict, allowedHosts: new Set() })).toEqual(rejected);
  });
});
