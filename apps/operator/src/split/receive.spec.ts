import { readArguments } from '../command-line/arguments.js';
import { connectionTo } from './receive.js';

it.each([
  ['postgres://owner:pass%20word@db.example.com/shop', 'host=db.example.com port=5432 dbname=shop'],
  ['postgres://owner@10.0.0.1:6432/a%2Db?sslmode=require', 'host=10.0.0.1 port=6432 dbname=a-b sslmode=require'],
])('the connection string for %s has host, port and database, and no user or password', (url, words) => {
  expect(connectionTo(url)).toBe(words);
});

it('database receive sorts its services', () => {
  const parsed = readArguments(['database', 'receive', 'social,catalog']);
  expect(parsed).toMatchObject({ flags: { services: ['catalog', 'social'] } });
});

it.each([['receive catalog,gateway'], ['move gateway'], ['move']])('rejects: database %s', (words) => {
  expect(() => readArguments(['database', ...words.split(' ')])).toThrow(/must be one of accounts|is missing/);
});
