import { services } from '#contracts';
import { readArguments } from './arguments.js';

/** Returns the requests of a command line. Payloads are validated against the contract. */
function sent(...words: string[]) {
  const calls: object[] = [];
  const of = (service: keyof typeof services) => ({
    call: (message: string, payload: object) => {
      const { request } = (services[service] as (typeof services)['catalog'])[message as 'items.list'];
      calls.push({ service, message, payload: request.parse(payload) });
      return {};
    },
  });
  const parsed = readArguments(words);
  if (parsed.kind === 'run') void parsed.command.run({ of } as never, parsed.flags);
  return calls;
}
const line = (text: string) => sent(...text.split(' '));

it.each([
  [
    'user create --name aya --email aya@example.com --password longenough',
    'accounts',
    'users.create',
    {
      name: 'aya',
      email: 'aya@example.com',
      password: 'longenough',
      displayName: null,
    },
  ],
  ['user show --name aya', 'accounts', 'users.show', { name: 'aya' }],
  ['user key --name aya', 'accounts', 'keys.show-by-name', { userName: 'aya' }],
  ['user replace-key --name aya', 'accounts', 'keys.replace-by-name', { userName: 'aya' }],
  ['user official aya', 'accounts', 'users.mark-official', { name: 'aya', official: true }],
  ['user official aya --off', 'accounts', 'users.mark-official', { name: 'aya', official: false }],
  ['user official --name aya', 'accounts', 'users.mark-official', { name: 'aya', official: true }],
  ['token create --user aya --scope read', 'accounts', 'tokens.create', { userName: 'aya', scopes: ['read'] }],
  ['user reset-password aya', 'accounts', 'users.reset-password', { name: 'aya', endAccess: false }],
  ['user reset-password aya --all', 'accounts', 'users.reset-password', { name: 'aya', endAccess: true }],
  ['user delete aya --yes', 'accounts', 'users.remove', { name: 'aya' }],
  ['token list aya', 'accounts', 'tokens.list', { userName: 'aya' }],
  ['token revoke --token abc', 'accounts', 'tokens.revoke', { token: 'abc' }],
  [`token revoke --hash ${'0'.repeat(64)}`, 'accounts', 'tokens.revoke', { tokenHash: '0'.repeat(64) }],
  ['app list', 'accounts', 'applications.find', {}],
  ['app list aya', 'accounts', 'applications.find', { ownerName: 'aya' }],
  ['app show 3', 'accounts', 'applications.show', { applicationId: 3 }],
  ['app delete 3 --yes', 'accounts', 'applications.remove', { applicationId: 3 }],
  ['catalog load', 'catalog', 'items.load', {}],
  ['material violate 12 --reason copied', 'catalog', 'materials.violate', { materialId: 12, reason: 'copied' }],
  ['material clear --id 12 --reason mistake', 'catalog', 'materials.clear', { materialId: 12, reason: 'mistake' }],
  [
    'sale create --item 1 --percent-off 20 --name Winter',
    'catalog',
    'sales.create',
    {
      name: 'Winter',
      target: { kind: 'item', itemId: 1 },
      discount: { kind: 'percent', percent: 20 },
    },
  ],
  [
    'sale create --user aya --amount-off 500 --starts 2026-12-24 --name Winter',
    'catalog',
    'sales.create',
    {
      name: 'Winter',
      target: { kind: 'user', userName: 'aya' },
      discount: { kind: 'amount', amount: 500 },
      startsAt: '2026-12-24T00:00:00Z',
    },
  ],
  [
    'sale create --product 7 --percent-off 100 --ends 2026-12-27T00:00:00+09:00 --name Winter',
    'catalog',
    'sales.create',
    {
      name: 'Winter',
      target: { kind: 'product', productId: 7 },
      discount: { kind: 'percent', percent: 100 },
      endsAt: '2026-12-26T15:00:00.000Z',
    },
  ],
  ['sale list', 'catalog', 'sales.list', {}],
  ['sale end --id 3', 'catalog', 'sales.end', { saleId: 3 }],
  ['sale record --product 7', 'catalog', 'sales.record', { productId: 7 }],
  ['sale record --product 7 --buyer aya', 'catalog', 'sales.record', { productId: 7, buyerName: 'aya' }],
  [
    'banner create --display-size large --image-url https://example.com/b.png',
    'catalog',
    'banners.create',
    {
      displaySize: 'large',
      imageUrl: 'https://example.com/b.png',
    },
  ],
  ['banner list', 'catalog', 'banners.list', {}],
  ['banner delete 4', 'catalog', 'banners.delete', { bannerId: 4 }],
  [
    'promotion create --name Summer --category sale --url https://example.com/summer',
    'catalog',
    'promotions.create',
    {
      name: 'Summer',
      category: 'sale',
      url: 'https://example.com/summer',
    },
  ],
  ['promotion list', 'catalog', 'promotions.list', {}],
  ['promotion delete --id 5', 'catalog', 'promotions.delete', { promotionId: 5 }],
])('%s', (text, service, message, payload) => {
  expect(line(text)).toEqual([{ service, message, payload }]);
});

describe('token create', () => {
  it.each(['', '  ', 'read dance'])('rejects the scope "%s" as invalid usage', (scope) => {
    expect(() => sent('token', 'create', '--user', 'demo', '--scope', scope)).toThrow(
      /^--scope: .*use read and write$/,
    );
  });

  it('accepts scopes separated by spaces', () => {
    expect(sent('token', 'create', '--user', 'demo', '--scope', 'read  write')).toMatchObject([
      { payload: { userName: 'demo', scopes: ['read', 'write'] } },
    ]);
  });
});

it.each(['user delete aya', 'app delete 3', 'events drop 7 --service activity'])(
  '%s requires a confirmation',
  (text) => {
    expect(() => line(text)).toThrow('add --yes');
  },
);
