import { services } from '#contracts';
import { readArguments } from './arguments.js';
import type { Report } from './command.js';
import { commands } from './commands.js';

/** Returns the requests of a command line. Payloads are validated against the contract. */
function sent(...words: string[]) {
  const calls: object[] = [];
  const of = (service: keyof typeof services) => ({
    call: (message: string, payload: object) => {
      const { request } = (services[service] as (typeof services)['catalog'])[message as 'items.list'];
      calls.push({ service, message, payload: request.parse(payload) });
      // Without a reply, the command formats nothing
      return new Promise(() => undefined);
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
  ['user list', 'accounts', 'users.find', { limit: 50, offset: 0 }],
  ['user list --limit 10 --offset 20', 'accounts', 'users.find', { limit: 10, offset: 20 }],
  ['user find ay', 'accounts', 'users.find', { text: 'ay', limit: 50, offset: 0 }],
  [
    'user find aya@example.com --offset 50',
    'accounts',
    'users.find',
    { text: 'aya@example.com', limit: 50, offset: 50 },
  ],
  ['blank show mug', 'catalog', 'blanks.show', { name: 'mug' }],
  ['user show aya', 'accounts', 'users.show', { name: 'aya' }],
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
  ['catalog load', 'catalog', 'items.load', { withoutItems: false }],
  ['catalog load --without-items', 'catalog', 'items.load', { withoutItems: true }],
  ['material list aya', 'catalog', 'materials.find', { userName: 'aya', limit: 50, offset: 0 }],
  ['material list --user aya --limit 1', 'catalog', 'materials.find', { userName: 'aya', limit: 1, offset: 0 }],
  ['material show 12', 'catalog', 'materials.show', { materialId: 12 }],
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
  ['sale record --product 7', 'catalog', 'sales.record', { productId: 7, quantity: 1 }],
  ['sale record --product 7 --buyer aya', 'catalog', 'sales.record', { productId: 7, buyerName: 'aya', quantity: 1 }],
  [
    'sale record 7 --variant 11 --quantity 3 --external-id 2026-11.A_7',
    'catalog',
    'sales.record',
    { productId: 7, variantId: 11, quantity: 3, externalId: '2026-11.A_7' },
  ],
  ['production list', 'material-rendering', 'productions.list', { limit: 50, offset: 0 }],
  [
    'production list --status failed --limit 5',
    'material-rendering',
    'productions.list',
    { status: 'failed', limit: 5, offset: 0 },
  ],
  ['production show 7', 'material-rendering', 'productions.show', { purchaseId: 7 }],
  ['production retry 7', 'material-rendering', 'productions.retry', { purchaseId: 7 }],
  [
    'banner create --display-size large --image-url https://example.com/b.png',
    'catalog',
    'banners.create',
    {
      displaySize: 'large',
      imageUrl: 'https://example.com/b.png',
    },
  ],
  [
    'banner create --display-size large --image-url https://example.com/b.png --link-url https://example.com --alt-text Winter',
    'catalog',
    'banners.create',
    {
      displaySize: 'large',
      imageUrl: 'https://example.com/b.png',
      linkUrl: 'https://example.com',
      altText: 'Winter',
    },
  ],
  ['banner list', 'catalog', 'banners.list', { withLinks: true }],
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

it.each(['../A', 'A/B', 'A.', '.A', 'A B', '', 'purchase-7', 'x'.repeat(65)])(
  'sale record rejects the external id "%s" as invalid usage',
  (externalId) => {
    expect(() => sent('sale', 'record', '7', '--external-id', externalId)).toThrow(/^--external-id: must/);
  },
);

it('event listen rejects a secret without an address', () => {
  const parsed = readArguments(['event', 'listen', '--secret', `whsec_${'A'.repeat(32)}`]);
  expect(() => parsed.kind === 'run' && parsed.command.run(undefined as never, parsed.flags)).toThrow(
    '--secret needs --to',
  );
});

describe('token create', () => {
  it.each(['', '  ', 'read dance'])('rejects the scope "%s" as invalid usage', (scope) => {
    expect(() => sent('token', 'create', '--user', 'demo', '--scope', scope)).toThrow(
      /^--scope: .*use read and write, or production$/,
    );
  });

  it('accepts the scope production', () => {
    expect(sent('token', 'create', '--user', 'demo', '--scope', 'production')).toMatchObject([
      { payload: { userName: 'demo', scopes: ['production'] } },
    ]);
  });

  it('accepts scopes separated by spaces', () => {
    expect(sent('token', 'create', '--user', 'demo', '--scope', 'read  write')).toMatchObject([
      { payload: { userName: 'demo', scopes: ['read', 'write'] } },
    ]);
  });
});

it.each(['user delete aya', 'app delete 3', 'events drop 7 --service activity'])(
  '%s requires a confirmation',
  async (text) => {
    const parsed = readArguments(text.split(' '));
    if (parsed.kind === 'help') throw new Error(parsed.text);
    const run = async () => parsed.command.run({} as never, parsed.flags);
    await expect(run()).rejects.toThrow('add --yes');
  },
);

describe('the text of a result', () => {
  /** Runs a command whose requests have these replies. */
  async function reportOf(line: string, replies: Record<string, object>): Promise<Report> {
    const parsed = readArguments(line.split(' '));
    if (parsed.kind === 'help') throw new Error(parsed.text);
    const of = () => ({ call: (message: string) => Promise.resolve(replies[message]) });
    return (await parsed.command.run({ of } as never, parsed.flags)) as Report;
  }
  const startsAt = '2026-12-24T00:00:00.000Z';
  const [expiresAt, lastUsedAt] = [null, null];
  const production = {
    purchaseId: 7,
    externalId: 'A-1',
    quantity: 3,
    productId: 4,
    title: 'Cat mug',
    variantId: 11,
    status: 'failed',
    reason: 'disk full',
    folder: 'production/A-1',
    createdAt: startsAt,
    updatedAt: startsAt,
  };

  it.each([
    ['user list', 'users.find', { users: [], nextOffset: null }, 'No users.'],
    ['user find x', 'users.find', { users: [], nextOffset: null }, 'No users.'],
    ['token list aya', 'tokens.list', { tokens: [] }, 'No tokens.'],
    ['app list', 'applications.find', { applications: [] }, 'No applications.'],
    ['material list aya', 'materials.find', { materials: [], nextOffset: null }, 'No materials.'],
    ['sale list', 'sales.list', { sales: [] }, 'No sales.'],
    ['banner list', 'banners.list', { banners: [] }, 'No banners.'],
    ['production list', 'productions.list', { productions: [], nextOffset: null }, 'No productions.'],
    ['promotion list', 'promotions.list', { promotions: [] }, 'No promotions.'],
    ['user key aya', 'keys.show-by-name', { apiKey: 'k' }, 'name  API key\naya   k'],
    ['user replace-key aya', 'keys.replace-by-name', { apiKey: 'k' }, 'name  API key\naya   k'],
    ['user delete aya --yes', 'users.remove', { id: 3, name: 'aya' }, 'Deleted user 3, aya.'],
    ['token revoke --token t', 'tokens.revoke', { revoked: true }, 'Revoked.'],
    ['token revoke --token t', 'tokens.revoke', { revoked: false }, 'No such token.'],
    ['banner delete 3', 'banners.delete', { deleted: true }, 'Deleted.'],
    ['promotion delete 3', 'promotions.delete', { deleted: true }, 'Deleted.'],
    ['catalog load', 'items.load', { items: 22, variants: 289, kept: [] }, 'items  variants\n22     289'],
    [
      'catalog load',
      'items.load',
      { items: 22, kept: ['item mug', 'color lime'] },
      'items\n22\nWarning: imported before, therefore not loaded: item mug, color lime.',
    ],
    [
      'sale record 4',
      'sales.record',
      {
        purchaseId: 2,
        externalId: null,
        productId: 4,
        variantId: 11,
        quantity: 3,
        title: 'Cat',
        ownerName: 'aya',
        buyerName: null,
        isRepeated: false,
      },
      'purchase  product  variant  quantity  owner  buyer  title\n2         4        11       3         aya    -      Cat',
    ],
    [
      'sale record 4 --external-id A',
      'sales.record',
      {
        purchaseId: 2,
        externalId: 'A',
        productId: 4,
        variantId: 11,
        quantity: 3,
        title: null,
        ownerName: null,
        buyerName: null,
        isRepeated: true,
      },
      'purchase  product  variant  quantity  owner  buyer  title\n' +
        '2         4        11       3         -      -      -\nWas recorded before.',
    ],
    [
      'production list',
      'productions.list',
      { productions: [production], nextOffset: 50 },
      'purchase  external id  status  created            product  variant  quantity  title\n' +
        '7         A-1          failed  2026-12-24 00:00Z  4        11       3         Cat mug\nMore: --offset 50',
    ],
    [
      'production show 7',
      'productions.show',
      production,
      'purchase  external id  status  created            product  variant  quantity  title\n' +
        '7         A-1          failed  2026-12-24 00:00Z  4        11       3         Cat mug\n\n' +
        'Folder: production/A-1\nReason: disk full',
    ],
    [
      'production retry 7',
      'productions.retry',
      production,
      'purchase  external id  status  created            product  variant  quantity  title\n' +
        '7         A-1          failed  2026-12-24 00:00Z  4        11       3         Cat mug\n\n' +
        'Folder: production/A-1\nReason: disk full',
    ],
    [
      'material violate 3 --reason copied',
      'materials.violate',
      { id: 3, title: 'Cat', userName: 'aya', violation: true, reason: 'copied' },
      'Material 3 of aya: Cat\nViolation: yes, hidden from all but the owner\nReason: copied',
    ],
    [
      'material clear 3 --reason licence',
      'materials.clear',
      { id: 3, title: 'Cat', userName: 'aya', violation: false, reason: null },
      'Material 3 of aya: Cat\nViolation: no',
    ],
    [
      'app show 3',
      'applications.show',
      {
        id: 3,
        ownerName: 'aya',
        users: 2,
        scopes: ['read'],
        createdAt: startsAt,
        name: 'Print',
        redirectUris: ['https://print.example/back'],
      },
      [
        'id  owner  users  scopes  created            name',
        '3   aya    2      read    2026-12-24 00:00Z  Print',
        '',
        'Redirect URI: https://print.example/back',
      ].join('\n'),
    ],
    [
      'sale list',
      'sales.list',
      {
        sales: [
          {
            id: 10,
            name: 'Winter',
            state: 'upcoming',
            startsAt,
            endsAt: null,
            target: { kind: 'user', userName: 'aya' },
            discount: { kind: 'percent', percent: 20 },
          },
          {
            id: 9,
            name: 'Autumn',
            state: 'ended',
            startsAt,
            endsAt: startsAt,
            target: { kind: 'item', itemId: 1 },
            discount: { kind: 'amount', amount: 500 },
          },
        ],
      },
      'id  state     target    off  starts             ends               name\n' +
        '10  upcoming  user aya  20%  2026-12-24 00:00Z  -                  Winter\n' +
        '9   ended     item 1    500  2026-12-24 00:00Z  2026-12-24 00:00Z  Autumn',
    ],
    [
      'token list aya',
      'tokens.list',
      {
        tokens: [
          {
            tokenHash: 'ab',
            kind: 'token',
            scopes: ['read', 'write'],
            application: null,
            createdAt: startsAt,
            lastUsedAt,
            expiresAt,
          },
        ],
      },
      'hash  kind   scopes      created            last used  expires  application\n' +
        'ab    token  read write  2026-12-24 00:00Z  -          -        -',
    ],
    [
      'app list',
      'applications.find',
      { applications: [{ id: 3, ownerName: 'aya', users: 2, scopes: ['read'], createdAt: startsAt, name: 'Frames' }] },
      'id  owner  users  scopes  created            name\n3   aya    2      read    2026-12-24 00:00Z  Frames',
    ],
    [
      'banner list',
      'banners.list',
      {
        banners: [
          {
            id: 4,
            displaySize: 'large',
            imageUrl: 'https://example.com/b.png',
            altText: 'Winter',
            linkUrl: 'https://example.com',
          },
          { id: 3, displaySize: 'small', imageUrl: 'https://example.com/3.png', altText: null, linkUrl: null },
        ],
      },
      [
        'id  display size  image URL                  link URL             alt text',
        '4   large         https://example.com/b.png  https://example.com  Winter',
        '3   small         https://example.com/3.png  -                    -',
      ].join('\n'),
    ],
    [
      'promotion list',
      'promotions.list',
      { promotions: [{ id: 5, name: 'Summer', category: 'sale', url: 'https://example.com' }] },
      'id  category  URL                  name\n5   sale      https://example.com  Summer',
    ],
  ])('of %s has a line for each row', async (line, message, reply, text) => {
    const report = await reportOf(line, { [message]: reply });
    expect([report.text, report.isGood]).toEqual([text, true]);
    expect(JSON.parse(JSON.stringify(report))).toEqual(reply);
  });

  it('of users names the flag for the next page', async () => {
    const aya = {
      id: 1,
      name: 'aya',
      email: 'aya@example.com',
      displayName: 'Aya',
      official: true,
      createdAt: startsAt,
    };
    const found = { users: [aya], nextOffset: 50 };
    expect((await reportOf('user list', { 'users.find': found })).text).toBe(
      'id  name  email            official  created            display name\n' +
        '1   aya   aya@example.com  yes       2026-12-24 00:00Z  Aya\n' +
        'More: --offset 50',
    );
  });

  it.each(['user show aya', 'user official aya'])('of one user is a row of the list: %s', async (words) => {
    const aya = { id: 1, name: 'aya', email: 'a@example.com', displayName: null, official: true, createdAt: startsAt };
    const report = await reportOf(words, { 'users.show': aya, 'users.mark-official': aya });
    expect([report.text, JSON.parse(JSON.stringify(report))]).toEqual([
      'id  name  email          official  created            display name\n' +
        '1   aya   a@example.com  yes       2026-12-24 00:00Z  -',
      aya,
    ]);
  });

  it('of a new password is a table', async () => {
    const reset = { name: 'aya', password: '5uBNB6AnT3Azu17i9r-qffKc' };
    const report = await reportOf('user reset-password aya', { 'users.reset-password': reset });
    expect([report.text, report.data]).toEqual(['name  password\naya   5uBNB6AnT3Azu17i9r-qffKc', reset]);
  });

  it.each(['sale create Winter --item 1 --percent-off 20', 'sale end 3'])(
    'of one sale is a row of the list: %s',
    async (words) => {
      const target = { kind: 'item', itemId: 1 };
      const discount = { kind: 'percent', percent: 20 };
      const sale = { id: 3, name: 'Winter', target, discount, startsAt, endsAt: null, state: 'upcoming' };
      const report = await reportOf(words, { 'sales.create': sale, 'sales.end': sale });
      expect([report.text, report.data]).toEqual([
        'id  state     target  off  starts             ends  name\n' +
          '3   upcoming  item 1  20%  2026-12-24 00:00Z  -     Winter',
        sale,
      ]);
    },
  );

  const material = { id: 12, title: 'Cat', userId: 1, userName: 'aya', violation: true, reason: 'copied' };

  it('of materials shows violations', async () => {
    const found = { materials: [material, { ...material, id: 7, violation: false }], nextOffset: null };
    expect((await reportOf('material list aya', { 'materials.find': found })).text).toBe(
      'id  violation  title\n12  yes        Cat\n7   no         Cat',
    );
  });

  it('of a material shows owner, violation, and products with state and price', async () => {
    const product = {
      id: 30,
      item: { name: 't-shirt' },
      published: true,
      priceWithTax: 2750,
      discountedPriceWithTax: 2200,
    };
    const products = [product, { ...product, id: 31, item: { name: 'mug' }, published: false }];
    const report = await reportOf('material show 12', { 'materials.show': material, 'materials.get': { products } });
    expect(report.text).toBe(
      'Material 12 of aya: Cat\n' +
        'Violation: yes, hidden from all but the owner\nReason: copied\n\n' +
        'id  item     state        price with tax  after discounts\n' +
        '30  t-shirt  published    2750            2200\n' +
        '31  mug      unpublished  2750            2200',
    );
    expect(report.data).toMatchObject({ ...material, products: [{ id: 30, item: 't-shirt', published: true }, {}] });
  });
});

it('every command accepts the name or id of its object alone or behind its flag', () => {
  const objects = ['id', 'name', 'user', 'owner', 'text', 'folder'];
  for (const [noun, verbs] of Object.entries(commands)) {
    for (const [verb, { flags, oneOf = [] }] of Object.entries(verbs)) {
      const named = objects.filter((flag) => Object.hasOwn(flags, flag) && !oneOf.flat().includes(flag));
      expect([noun, verb, named.filter((flag) => !flags[flag]!.positional)]).toEqual([noun, verb, []]);
    }
  }
});
