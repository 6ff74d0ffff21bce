import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { projectPath } from '#config';
import { allMetrics, asMarkdown } from './metrics-table.js';

const file = projectPath('docs/metrics.md');

describe('docs/metrics.md', () => {
  it('lists all metrics except the defaults of prom-client', async () => {
    const text = await format(await asMarkdown(), { ...(await resolveConfig(file)), parser: 'markdown' });
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});

describe('a metric', () => {
  it('has a unique name with a known prefix, which ends with _total for counters only', async () => {
    const all = await allMetrics();
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, type } of all.filter(({ name }) => !/^(?:nodejs|process)_/.test(name))) {
      expect(name).toMatch(
        /^(?:gateway|rq|cache|outbox|events?|database|rendering|accounts|storefront|webhooks?)_[a-z_]+$/,
      );
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    }
  });
});
