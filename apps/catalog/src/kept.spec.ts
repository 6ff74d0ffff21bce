import { setTimeout as sleep } from 'node:timers/promises';
import { currentCall, runInCall } from '#request-queue';
import { Kept } from './kept.js';

it('is read for all who ask, and not within the time of who asked first', async () => {
  let readings = 0;
  const kept = new Kept(async () => {
    readings += 1;
    await sleep(20);
    return currentCall()!.remainingMs();
  });
  const first = runInCall({ requestId: 'hasty', timeoutMs: 5 }, () => kept.current());
  const second = runInCall({ requestId: 'patient', timeoutMs: 60_000 }, () => kept.current());
  expect(await Promise.all([first, second])).toEqual([Infinity, Infinity]);
  expect(readings).toBe(1);
});

it('is read again after it was dropped, and after a failure', async () => {
  const answers = [() => 1, () => Promise.reject(new Error('away')), () => 3];
  const kept = new Kept(async () => answers.shift()!());
  expect(await kept.current()).toBe(1);
  kept.drop();
  await expect(kept.current()).rejects.toThrow('away');
  expect(await kept.current()).toBe(3);
});
