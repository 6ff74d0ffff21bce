import { readFile, writeFile } from 'node:fs/promises';
import { projectPath } from '#config';
import { events, services } from './index.js';

// During an upgrade, processes of the previous version send messages and events to the new version
// (docs/operations.md, Upgrades). The version that stops using a message or event therefore still
// has it, and the next version removes it. compatibility.json lists the names. WRITE_DOCS=1 adds
// new ones; whoever removes a message or event also deletes its name there by hand.

const file = projectPath('libs/contracts/src/compatibility.json');

const current: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(services).map(([service, messages]) => [service, Object.keys(messages).sort()])),
  events: Object.keys(events).sort(),
};

const readListed = async () => JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Record<string, string[]>;

it.each(Object.keys(current))('%s: still has every name that the previous version uses', async (name) => {
  const before = (await readListed())[name] ?? [];
  expect(before.filter((it) => !current[name]!.includes(it))).toEqual([]);
});

it('compatibility.json lists all current names', async () => {
  const before = await readListed();
  const all = Object.entries(current).map(([name, names]) => [
    name,
    [...new Set([...(before[name] ?? []), ...names])].sort(),
  ]);
  if (process.env.WRITE_DOCS) await writeFile(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  expect(await readListed()).toEqual(Object.fromEntries(all));
});
