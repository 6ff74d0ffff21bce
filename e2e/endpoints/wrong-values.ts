// Invalid values of parameters and fields, by type. `undefined` means that the key is not sent.

const nul = 'a\0b';
const halfPair = 'a\ud800b';

/** Invalid values in paths and queries. */
export const wrongText = {
  id: ['0', '-1', '1.5', '1e3', 'abc', '01', ' 1', '１', '9'.repeat(19), nul, '%'],
  limit: ['0', '51', '-1', '05', '1.5', '1e1', 'abc', '', ' 5'],
  activityLimit: ['0', '31', '50', '-1', 'abc', ''],
  offset: ['-1', '01', '1.5', 'abc', '', '1000000000', '+1'],
  name: ['', 'a b', 'a.b', 'é', '花子', "a'b", nul, 'x'.repeat(256)],
  search: ['x'.repeat(101), '猫'.repeat(101), nul],
} as const;

const notText = [5, true, null, [], {}, nul, halfPair];
const notNumber = ['1', 1.5, true, null, [], {}, 2 ** 53];
const notArray = ['x', 5, true, null, {}];
const notUrl = [
  'x',
  'javascript:alert(1)',
  'ftp://example.com/x',
  'http://',
  `https://example.com/${'x'.repeat(2_048)}`,
];

const except =
  (...allowed: readonly unknown[]) =>
  (values: readonly unknown[]): readonly unknown[] =>
    values.filter((value) => !allowed.includes(value));
const exceptNull = except(null);

/** Invalid values in JSON bodies. */
export const wrongJson = {
  id: [...notNumber, 0, -1],
  nullableId: [...exceptNull(notNumber), 0, -1],
  webhookDescription: [...notText, 'x'.repeat(256)],
  eventTypes: [...notArray, Array.from({ length: 100 }, () => 'sale.recorded')],
  requiredId: [...notNumber, 0, -1, undefined],
  texture: [...notText.slice(0, 5), '', 'x', 'file:///etc/passwd', `http://${'x'.repeat(2_048)}`, undefined],
  title: [...notText, '', '漢'.repeat(256)],
  requiredTitle: [...notText, '', '漢'.repeat(256), undefined],
  text: [...notText, '', '漢'.repeat(256), undefined],
  description: [...notText, 'x'.repeat(10_001)],
  nullableDescription: [...exceptNull(notText), 'x'.repeat(10_001)],
  price: [...notNumber, -1, 100_001, 1e308],
  names: [...notArray, Array.from({ length: 101 }, () => 'white')],
  count: [...notNumber, 0, -1, 101],
  flag: ['true', 0, 1, null, [], {}],
  object: ['x', 5, true, null],
  resizeMode: ['fill', 'CONTAIN', '', 5, true, [], {}],
  side: [...notText, '', 'x'.repeat(65), undefined],
  url: [...notText.slice(0, 5), ...notUrl, null],
  nullableUrl: [...exceptNull(notText.slice(0, 5)), ...notUrl],
  displayName: [...exceptNull(notText), '漢'.repeat(256)],
  products: [...notArray, Array.from({ length: 101 }, () => ({ itemId: 1 }))],
  sides: [...notArray, Array.from({ length: 11 }, () => ({ texture: 'data:,x', printSide: 'back' }))],
  choiceProducts: [...notArray, Array.from({ length: 501 }, () => ({ productId: 1 }))],
  entry: ['x', 5, null, [1]],
} as const satisfies Record<string, readonly unknown[]>;
