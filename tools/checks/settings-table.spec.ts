import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { projectPath } from '#config';
import { asMarkdown, settingRows } from './settings-table.js';

const file = projectPath('docs/settings.md');
const rows = settingRows();

describe('docs/settings.md', () => {
  it('is made of the shapes that check the settings', async () => {
    const text = await format(asMarkdown(), { ...(await resolveConfig(file)), parser: 'markdown' });
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it.each(rows)('says what %s means, the same for every program that reads it', (_, readers) => {
    const said = [...readers.values()].map(({ meaning, type, isSecret }) => ({ meaning, type, isSecret }));
    expect(said[0]!.meaning).toMatch(/\S/);
    for (const other of said) expect(other).toEqual(said[0]);
  });
});

it('README.md names settings that there are', async () => {
  const text = await readFile(projectPath('README.md'), 'utf8');
  const cells = [...text.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) /gm)].map(([, cell]) => cell!);
  const named = cells.flatMap((cell) => cell.replaceAll('`', '').split(', '));
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !rows.some(([known]) => known === name))).toEqual([]);
});
