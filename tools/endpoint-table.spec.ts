import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { projectPath } from '#config';
import { asMarkdown } from '../e2e/endpoint-checks.js';

const file = projectPath('docs/endpoint-tests.md');

describe('docs/endpoint-tests.md', () => {
  it('shows what the tests of the endpoints try', async () => {
    const text = await format(asMarkdown(), { ...(await resolveConfig(file)), parser: 'markdown' });
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
