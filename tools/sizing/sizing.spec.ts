import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { projectPath } from '#config';
import { busyCores, mix, needs, shareAtGateway } from './sizing.js';
import { tables } from './table.js';

const file = projectPath('docs/operations.md');
const [begin, end] = ['<!-- sizing: tools/sizing -->', '<!-- end of sizing -->'];

it('the mix is what reaches a gateway, and no more than all', () => {
  expect(mix.every(({ share }) => share > 0)).toBe(true);
  // Half are no pictures, and of the others the CDN leaves two of a hundred
  expect(shareAtGateway).toBeCloseTo(0.5 + 0.5 * 0.02, 10);
});

it('ten times the requests keep ten times the processors busy', () => {
  const [one, ten] = [busyCores(1_000), busyCores(10_000)];
  expect(ten.gateway).toBeCloseTo(10 * one.gateway, 10);
  // The half at most costs a list that is kept: 387 us of a gateway
  expect(one.gateway).toBeGreaterThan(1_000 * 0.5 * 387e-6);
  expect(one.gateway).toBeLessThan(1_000 * 0.6 * 500e-6);
});

it('nothing has fewer than two processes, and rows do not depend on requests', () => {
  expect(Math.min(...Object.values(needs(1, 100).processes))).toBe(2);
  expect(needs(1, 1_000_000).rowsGb).toBe(needs(10_000, 1_000_000).rowsGb);
});

it('docs/operations.md has the tables that are computed', async () => {
  const text = await readFile(file, 'utf8');
  const [before, after] = [text.split(begin)[0]!, text.split(end)[1]!];
  const made = `${before}${begin}\n\n${tables()}\n\n${end}${after}`;
  const whole = await format(made, { ...(await resolveConfig(file)), parser: 'markdown' });
  if (process.env.WRITE_DOCS) await writeFile(file, whole);
  expect(await readFile(file, 'utf8')).toBe(whole);
});
