import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaksOf } from './leaks.js';

const secret = 'k'.repeat(64);
const secrets = new Set([secret, '']);
/** Text so long that a secret behind it is divided between two chunks. */
const filler = '{"msg":"fine"}\n'.repeat(80_000).slice(0, 1024 ** 2 - 40);

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-leaks-'));
  file = join(folder, 'log');
});
afterAll(() => rm(folder, { recursive: true }));

it('finds a secret anywhere in a log, and returns its line without the secret', async () => {
  await writeFile(file, `${filler}\n{"key":"${secret}"}\n${filler}\n{"again":"${secret}`);
  expect(await leaksOf(file, secrets)).toEqual(['{"key":"[A SECRET]"}', '{"again":"[A SECRET]']);
});

it('ignores earlier content of the log', async () => {
  const before = `{"key":"${secret}"}\n`;
  await writeFile(file, `${before}${filler}`);
  expect(await leaksOf(file, secrets, before.length)).toEqual([]);
});
