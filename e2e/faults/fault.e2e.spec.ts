import type { Ending } from '../load/load.js';
import { allFaults } from './all-faults.js';
import { unpromised } from './fault.js';

it('ends requests with 503, 504 and 429 alone, but for gateways that end: only a killed one breaks connections', () => {
  const others = allFaults.filter(({ alsoEnds = [] }) => alsoEnds.length > 0);
  expect(Object.fromEntries(others.map(({ name, alsoEnds }) => [name, alsoEnds]))).toEqual({
    'one of gateway killed': ['no answer', 'not connected'],
    'all of gateway killed': ['no answer', 'not connected'],
    'one of gateway ended by SIGTERM': ['not connected'],
    'rolling restart of all': ['not connected'],
  });
});

it('is told each ending that its fault does not excuse', () => {
  const strike = () => Promise.resolve();
  const failures = new Map<Ending, number>([
    [503, 9],
    [500, 2],
    ['no answer', 1],
    ['not connected', 3],
  ]);
  const brokenBy = (...alsoEnds: Ending[]) => unpromised(failures, { name: 'a fault', strike, alsoEnds });
  expect(brokenBy('no answer', 'not connected')).toEqual(['2 requests ended with 500']);
  expect(brokenBy('not connected')).toEqual(['2 requests ended with 500', '1 requests ended with no answer']);
  expect(unpromised(failures, { name: 'a fault', strike })).toHaveLength(3);
});
