import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaksOf } from './leaks.js';

const secret = 'k'.repeat(64);
const secrets = new Set([secret, '']);
/** More than is read at once, with the end of a piece in a secret. */
const filler = '{"msg":"fine"}\n'.repeat(80_000).slice(0, 1024 ** 2 - 40);

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-leaks-'));
  file = join(folder, 'log');
});
afterAll(() => rm(folder, { recursive: true }));

it('finds a secret wherever it stands in a log, and tells its line without it', async () => {
  await writeFile(file, `${filler}\n{"key":"${secret}"}\n${filler}\n{"again":"${secret}`);
  expect(await leaksOf(file, secrets)).toEqual(['{"key":"[A SECRET]"}', '{"again":"[A SECRET]']);
});

it('finds none in what stood there before', async () => {
  const before = `{"key":"${secret}"}\n`;
  await writeFile(file, `${before}${filler}`);
  expect(await leaksOf(file, secrets, before.length)).toEqual([]);
});
