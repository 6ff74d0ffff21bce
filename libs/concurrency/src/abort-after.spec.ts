import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '#testing';
import { abortAfter } from './abort-after.js';

/** Resolves with the reason of a signal that no other code refers to. */
const reasonOf = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));

const hour = 3_600_000;
const never = new AbortController().signal;

it.each([
  ['alone', undefined],
  ['beside another signal', never],
])(
  'aborts after the time, also after a garbage collection: %s',
  async (_, signal) => {
    const reason = reasonOf(abortAfter(200, signal));
    for (let time = 1; time <= 4; time += 1) {
      await sleep(20);
      collectGarbage();
    }
    expect(await reason).toMatchObject({ name: 'TimeoutError' });
  },
  20_000,
);

it('aborts with the other signal', async () => {
  const other = new AbortController();
  const reason = reasonOf(abortAfter(hour, other.signal));
  other.abort('closed');
  expect(await reason).toBe('closed');
});

it.each([0, -5])('is aborted at once without time: %i ms', (ms) => {
  expect(abortAfter(ms).reason).toMatchObject({ name: 'TimeoutError' });
});
