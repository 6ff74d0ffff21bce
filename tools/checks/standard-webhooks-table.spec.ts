import { defectsOf, readTestTable } from './test-table.js';

it('docs/standard-webhooks.md names tests that exist', () => {
  const rows = readTestTable('standard-webhooks.md');
  expect(rows.length).toBeGreaterThan(30);
  expect(defectsOf(rows)).toEqual([]);
});
