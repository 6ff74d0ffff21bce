import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { projectPath } from '#config';
import { asMarkdown, settingRows } from './settings-table.js';

const file = projectPath('docs/settings.md');
const rows = settingRows();

describe('docs/settings.md', () => {
  it('is generated from the schemas of the settings', async () => {
    const text = await format(asMarkdown(), { ...(await resolveConfig(file)), parser: 'markdown' });
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it.each(rows)('describes %s equally for every program that reads it', (_, readers) => {
    const descriptions = [...readers.values()].map(({ meaning, type, isSecret }) => ({ meaning, type, isSecret }));
    expect(descriptions[0]!.meaning).toMatch(/\S/);
    for (const other of descriptions) expect(other).toEqual(descriptions[0]);
  });
});

const pages = [
  ...['README.md', 'SECURITY.md', 'k8s/README.md'],
  ...['backup', 'blob-store', 'limits', 'operations', 'runbook', 'sign-in-providers', 'tracing'].map(
    (name) => `docs/${name}.md`,
  ),
];
/** Names in these pages that are not settings: variables of other programs, and placeholders. */
const noSettings = new Set(['AWS_REGION', 'DATABASE_READ_URL', 'MALLOC_ARENA_MAX', 'NAME_FILE']);

it.each(pages)('%s mentions existing settings', async (page) => {
  const text = await readFile(projectPath(page), 'utf8');
  const named = [...text.matchAll(/`([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)/g)].map(([, name]) => name!);
  expect(named).not.toEqual([]);
  const known = new Set(rows.flatMap(([name]) => [name, `${name}_FILE`]));
  expect(named.filter((name) => !known.has(name) && !noSettings.has(name))).toEqual([]);
});
