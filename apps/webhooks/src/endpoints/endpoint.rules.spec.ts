import { AddressNotAllowed, outboundUrl } from '#outbound';
import { changedColumns, oldSecretExpiry, rotated, urlRules } from './endpoint.rules.js';

const allowed = (url: string, hosts: readonly string[] = []): boolean => {
  try {
    return outboundUrl(url, urlRules(new Set(hosts))) instanceof URL;
  } catch (error) {
    if (error instanceof AddressNotAllowed) return false;
    throw error;
  }
};

describe('the URL of an endpoint', () => {
  it.each([
    'https://example.com/hook',
    'https://example.com:80/',
    'https://example.com:1024/',
    'https://93.184.216.34/',
  ])('may be %s', (url) => expect(allowed(url)).toBe(true));

  it.each([
    'http://example.com/',
    'https://user@example.com/',
    'https://example.com:22/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://0x7f.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://localhost/',
  ])('must not be %s', (url) => expect(allowed(url)).toBe(false));

  it('may be an internal one that the operator allows, also over http', () => {
    expect(allowed('http://127.0.0.1:8080/', ['127.0.0.1'])).toBe(true);
  });
});

describe('a change', () => {
  const endpoint = { url: 'https://example.com/', status: 'disabled' } as const;
  const reset = { failures: 0, failingSince: null, openUntil: null };

  it('enables a disabled endpoint without its failures and reason', () => {
    expect(changedColumns(endpoint, { status: 'enabled' })).toMatchObject({
      ...reset,
      status: 'enabled',
      disabledReason: null,
    });
  });

  it('of the URL starts without failures', () => {
    expect(changedColumns(endpoint, { url: 'https://example.com/new' })).toMatchObject(reset);
  });

  it('of other fields changes neither status nor failures', () => {
    const changed = changedColumns(endpoint, { description: 'x', types: ['sale.recorded', 'sale.recorded'] });
    expect(changed).toEqual({ url: endpoint.url, description: 'x', types: ['sale.recorded'] });
  });

  it('to the same status retains the failures', () => {
    expect(changedColumns({ ...endpoint, status: 'enabled' }, { status: 'enabled' })).not.toHaveProperty('failures');
  });
});

describe('a rotation', () => {
  const now = new Date('2026-11-20T09:00:00Z');
  const tomorrow = '2026-11-21T09:00:00.000Z';
  const current = (encrypted: string) => ({ encrypted, expiresAt: null });

  it('puts new secrets before the previous ones, which stay valid for 24 hours', () => {
    const secrets = rotated([current('old')], [current('new')], now);
    expect(secrets).toEqual([
      { encrypted: 'new', expiresAt: null },
      { encrypted: 'old', expiresAt: tomorrow },
    ]);
    expect(oldSecretExpiry(secrets, now)).toBe(tomorrow);
    expect(oldSecretExpiry(secrets, new Date(tomorrow))).toBeNull();
  });

  it('retains two generations only', () => {
    const once = rotated([current('a')], [current('b')], now);
    expect(rotated(once, [current('c')], now).map(({ encrypted }) => encrypted)).toEqual(['c', 'b']);
  });
});
