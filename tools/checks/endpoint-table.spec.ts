import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { projectPath } from '#config';
import { type Operation, operations } from '#contracts';
import { asMarkdown, columns, operationNames } from '../../e2e/endpoints/endpoint-checks.js';

const file = projectPath('docs/endpoint-tests.md');

describe('docs/endpoint-tests.md', () => {
  it('lists the cases of the endpoint tests', async () => {
    const text = await format(asMarkdown(), { ...(await resolveConfig(file)), parser: 'markdown' });
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('tests 304 for every operation whose response has an entity tag', () => {
    const tagged = operationNames.filter((name) => typeof columns['304 unchanged'](name) !== 'string');
    expect(tagged).toEqual([
      ...['categories.list', 'choices.products', 'items.list'],
      ...['products.list', 'products.search', 'products.on-sale', 'products.get'],
      ...['schema.hyper', 'schema.openapi'],
    ]);
    expect(tagged).toEqual(operationNames.filter((name) => (operations[name] as Operation).conditional));
  });

  it('has a row for each operation', () => {
    const rows = asMarkdown()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.map((row) => row.split('`')[1])).toEqual(operationNames);
  });
});
