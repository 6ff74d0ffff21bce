import { Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  it('returns the number of free permits up to the batch size, and waits when none is free', async () => {
    const semaphore = new Semaphore(3);
    expect(await semaphore.whenAvailable(8)).toBe(3);
    for (let acquired = 0; acquired < 3; acquired++) semaphore.acquire();
    const available = semaphore.whenAvailable(8);
    semaphore.release();
    expect(await available).toBe(1);
  });

  it('is not idle while a permit is acquired', async () => {
    const semaphore = new Semaphore(1);
    semaphore.acquire();
    expect(await semaphore.whenIdle(20)).toBe(false);
    semaphore.release();
    expect(await semaphore.whenIdle(20)).toBe(true);
  });
});
