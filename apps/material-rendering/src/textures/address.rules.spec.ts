import { isPublicAddress, textureUrl } from './address.rules.js';
import { inside, refusedForm } from './testing/hostile-addresses.js';

const nobody = new Set<string>();

const refused = expect.objectContaining({ kind: expect.objectContaining({ code: 'texture.address-refused' }) });

const attempt = (text: string, allowed = nobody): unknown => {
  try {
    return textureUrl(text, allowed).href;
  } catch (error) {
    return error;
  }
};

describe('the address of a texture', () => {
  it('is listed in at least forty spellings of an inside address', () => {
    expect(new Set(inside).size).toBeGreaterThanOrEqual(40);
  });

  it.each(inside)('is refused as %j', (text) => {
    expect(attempt(text)).toEqual(refused);
  });

  it.each(refusedForm)('is refused with %s', (_what, text) => {
    expect(attempt(text)).toEqual(refused);
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
  ])('is accepted as %s', (text) => {
    expect(attempt(text)).toEqual(expect.any(String));
  });

  it('may be inside when an operator allows the host, on any port or on one', () => {
    expect(attempt('http://127.0.0.1:8080/cat.png', new Set(['127.0.0.1']))).toBe('http://127.0.0.1:8080/cat.png');
    expect(attempt('http://LocalHost:8080/', new Set(['localhost:8080']))).toBe('http://localhost:8080/');
    expect(attempt('http://[::1]:81/', new Set(['[::1]']))).toBe('http://[::1]:81/');
    expect(attempt('http://localhost:8081/', new Set(['localhost:8080']))).toEqual(refused);
    expect(attempt('http://127.0.0.2/', new Set(['127.0.0.1']))).toEqual(refused);
  });

  it('keeps the host and the credentials of a refused address to itself', () => {
    expect(String(attempt('http://user:hunter2@10.9.8.7/'))).not.toMatch(/hunter2|10\.9\.8\.7/);
  });
});

describe('an address that a socket is connected to', () => {
  it.each(['127.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0', '169.254.169.254', '', 'example.com', '2130706433'])(
    'is not public as %j',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111'])('is public as %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
