import { defectsOf, readTestTable } from './test-table.js';

it('docs/hostile-input.md names tests that exist', () => {
  const rows = readTestTable('hostile-input.md');
  expect(rows.length).toBeGreaterThan(20);
  expect(defectsOf(rows)).toEqual([]);
});
