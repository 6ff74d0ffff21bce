import { jest } from '@jest/globals';
import { Pace } from './pace.js';

afterEach(() => jest.useRealTimers());

it('starts operations at its rate although none ends, up to those of ten seconds', async () => {
  jest.useFakeTimers();
  const ends: (() => void)[] = [];
  let skipped = 0;
  const begin = () => new Promise<void>((resolve) => ends.push(resolve));
  const pace = new Pace({ rate: 20, begin, onSkipped: () => (skipped += 1) });
  pace.start();
  jest.advanceTimersByTime(1_000);
  expect(ends).toHaveLength(20);
  jest.advanceTimersByTime(10_000);
  expect([ends.length, skipped]).toEqual([200, 20]);
  const stopped = pace.stop();
  jest.advanceTimersByTime(1_000);
  expect(ends).toHaveLength(200);
  for (const end of ends) end();
  await stopped;
});
