import { readFile, writeFile } from 'node:fs/promises';
import { projectPath } from '#config';
import { events, services } from './index.js';

// While a version replaces another one, the old programs ask and tell the new ones (docs/operations.md, Upgrades): what they
// may ask for stays for a version after nobody asks any more. compatibility.json lists it. A new name is added by
// WRITE_DOCS=1; a name is taken out by hand, in the version after the one that stopped to use it.

const file = projectPath('libs/contracts/src/compatibility.json');

const now: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(services).map(([service, messages]) => [service, Object.keys(messages).sort()])),
  events: Object.keys(events).sort(),
};

const known = async () => JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Record<string, string[]>;

it.each(Object.keys(now))('%s: what the version before may ask for is there', async (name) => {
  const before = (await known())[name] ?? [];
  expect(before.filter((it) => !now[name]!.includes(it))).toEqual([]);
});

it('what is new is listed', async () => {
  const before = await known();
  const all = Object.entries(now).map(([name, its]) => [name, [...new Set([...(before[name] ?? []), ...its])].sort()]);
  if (process.env.WRITE_DOCS) await writeFile(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  expect(await known()).toEqual(Object.fromEntries(all));
});
