import { defectsOf, readTestTable } from './test-table.js';

const table = readTestTable('hostile-input.md');
const { rows, titles } = table;

describe('docs/hostile-input.md', () => {
  it('names tests of each file', () => {
    expect(rows.length).toBeGreaterThan(12);
    expect([...new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)))].sort()).toEqual(
      [...titles.keys()].sort(),
    );
  });

  it.each(rows.map((row) => [row.cells[0]!, row] as const))('names tests that are there: %s', (_, row) => {
    expect(defectsOf(row, table)).toEqual([]);
  });
});
