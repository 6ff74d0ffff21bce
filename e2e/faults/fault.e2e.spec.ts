import type { Outcome } from '../load/load.js';
import { allFaults } from './all-faults.js';
import { unexpectedOutcomes } from './fault.js';

it('only faults that stop a gateway allow outcomes other than 503, 504 and 429', () => {
  const others = allFaults.filter(({ allowedOutcomes = [] }) => allowedOutcomes.length > 0);
  expect(Object.fromEntries(others.map(({ name, allowedOutcomes }) => [name, allowedOutcomes]))).toEqual({
    'one of gateway killed': ['no response', 'not connected'],
    'all of gateway killed': ['no response', 'not connected'],
    'one of gateway ended by SIGTERM': ['not connected'],
    'rolling restart of all': ['not connected'],
  });
});

it('lists each outcome that the fault does not allow', () => {
  const inject = () => Promise.resolve();
  const failures = new Map<Outcome, number>([
    [503, 9],
    [500, 2],
    ['no response', 1],
    ['not connected', 3],
  ]);
  const brokenBy = (...allowedOutcomes: Outcome[]) =>
    unexpectedOutcomes(failures, { name: 'a fault', inject, allowedOutcomes });
  expect(brokenBy('no response', 'not connected')).toEqual(['2 requests ended with 500']);
  expect(brokenBy('not connected')).toEqual(['2 requests ended with 500', '1 requests ended with no response']);
  expect(unexpectedOutcomes(failures, { name: 'a fault', inject })).toHaveLength(3);
});
