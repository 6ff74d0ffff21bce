import { mailbox } from './mailbox.schema.js';

it.each([
  ['shop@example.com', { name: '', address: 'shop@example.com' }],
  ['<shop@example.com>', { name: '', address: 'shop@example.com' }],
  ['My Shop <shop@example.com>', { name: 'My Shop', address: 'shop@example.com' }],
  ['ショップ <shop@example.com>', { name: 'ショップ', address: 'shop@example.com' }],
])('accepts %s', (text, expected) => {
  expect(mailbox.parse(text)).toEqual(expected);
});

it.each([
  '',
  'Shop',
  'shop@',
  'a@example.com, b@example.com',
  'Shop <a@example.com> <b@example.com>',
  '"Shop" <shop@example.com>',
  'Shop\r\nBcc: b@example.com <shop@example.com>',
  'shop@example.com\nBcc: b@example.com',
])('rejects %j', (text) => {
  expect(mailbox.safeParse(text).error?.issues[0]?.message).toContain('must look like');
});
