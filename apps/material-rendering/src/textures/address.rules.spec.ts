import { isPublicAddress, textureUrl } from './address.rules.js';
import { disallowedUrls, internalUrls } from './testing/hostile-addresses.js';

const noHosts = new Set<string>();

const rejected = expect.objectContaining({ kind: expect.objectContaining({ code: 'texture.address-refused' }) });

const attempt = (text: string, allowed = noHosts): unknown => {
  try {
    return textureUrl(text, allowed).href;
  } catch (error) {
    return error;
  }
};

describe('textureUrl', () => {
  it('is tested with at least forty spellings of an internal address', () => {
    expect(new Set(internalUrls).size).toBeGreaterThanOrEqual(40);
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

  it('accepts an internal host that an operator allows, on any port or on one', () => {
    expect(attempt('http://127.0.0.1:8080/cat.png', new Set(['127.0.0.1']))).toBe('http://127.0.0.1:8080/cat.png');
    expect(attempt('http://LocalHost:8080/', new Set(['localhost:8080']))).toBe('http://localhost:8080/');
    expect(attempt('http://[::1]:81/', new Set(['[::1]']))).toBe('http://[::1]:81/');
    expect(attempt('http://localhost:8081/', new Set(['localhost:8080']))).toEqual(rejected);
    expect(attempt('http://127.0.0.2/', new Set(['127.0.0.1']))).toEqual(rejected);
  });

  it('does not include the host and the credentials of a rejected address in the error', () => {
    expect(String(attempt('http://user:hunter2@10.9.8.7/'))).not.toMatch(/hunter2|10\.9\.8\.7/);
  });
});

describe('isPublicAddress', () => {
  it.each(['127.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0', '169.254.169.254', '', 'example.com', '2130706433'])(
    'returns false for %j',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111'])('returns true for %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
