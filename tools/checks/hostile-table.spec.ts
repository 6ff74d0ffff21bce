import { defectsOf, readTestTable } from './test-table.js';

it('docs/hostile-input.md names tests that are there, and some of each file', () => {
  const table = readTestTable('hostile-input.md');
  expect(table.rows.length).toBeGreaterThan(12);
  expect(defectsOf(table)).toEqual([]);
});
