import { readEnvironment } from '#config';
import { Env } from '../../env.js';
import { addressWarning, isTrustedProxy, readTrustedProxies } from './trusted-proxies.js';

describe('trusted proxies', () => {
  it('are addresses, networks and named networks', () => {
    const proxies = ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', 'loopback', 'linklocal', 'uniquelocal'];
    expect(readTrustedProxies(proxies.join(', '))).toEqual({ proxies, invalid: [] });
    expect(readTrustedProxies(' , ')).toEqual({ proxies: [], invalid: [] });
  });

  it.each([
    ...['true', '1', 'localhost', 'Loopback', 'toString', '10.0.0', '10.0.0.256', '010.0.0.1'],
    ...['10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/8/8', '10.0.0.0/', '::/129', 'fe80::1%eth0', '10.0.0.1 10.0.0.2'],
  ])('reject other values: %s', (entry) => expect(readTrustedProxies(`loopback,${entry}`).invalid).toEqual([entry]));

  it('cause a warning if they or TLS_CERT_FILE do not match BASE_URL', () => {
    const warning = (BASE_URL: string, TRUSTED_PROXIES: false | string[], TLS_CERT_FILE?: string) =>
      addressWarning({ BASE_URL, TRUSTED_PROXIES, TLS_CERT_FILE });
    expect(warning('https://shop.example.com', false)).toContain('TRUSTED_PROXIES is empty');
    expect(warning('https://shop.example.com', ['loopback'])).toBeUndefined();
    expect(warning('https://shop.example.com', false, 'tls.crt')).toBeUndefined();
    expect(warning('http://localhost:3000', false)).toBeUndefined();
    expect(warning('http://localhost:3000', false, 'tls.crt')).toContain('BASE_URL is http');
  });

  it('fail the start with one line if invalid', () => {
    const start = () => readEnvironment(Env, { TRUSTED_PROXIES: 'loopback, nonsense, true' });
    expect(start).toThrow(/TRUSTED_PROXIES: must contain addresses, networks [^\n]*\n(?!.*TRUSTED_PROXIES)/);
    expect(start).not.toThrow(/nonsense/);
  });
});

describe('a connection of a trusted proxy', () => {
  const proxies = [
    'loopback',
    'uniquelocal',
    '203.0.113.0/24',
    '198.51.100.7',
    '2001:db8::/32',
    '::ffff:192.0.2.0/120',
  ];

  it.each([
    '127.0.0.2',
    '::1',
    '10.1.2.3',
    '::ffff:172.16.0.1',
    'fd00::1',
    '203.0.113.9',
    '198.51.100.7',
    '2001:db8::5',
  ])('is recognized by its address: %s', (address) => expect(isTrustedProxy(proxies, address)).toBe(true));

  it('is recognized by an IPv4-mapped network', () =>
    expect([isTrustedProxy(proxies, '192.0.2.200'), isTrustedProxy(proxies, '192.0.3.1')]).toEqual([true, false]));

  it.each(['169.254.0.1', '203.0.114.1', '198.51.100.8', '2001:db9::5', '8.8.8.8', ''])(
    'is not recognized: %s',
    (address) => expect(isTrustedProxy(proxies, address)).toBe(false),
  );
});
