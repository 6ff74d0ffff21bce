import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '#testing';
import { currentCall, runInCall } from './current-call.js';

describe('the current call', () => {
  it('is set inside runInCall only, with its deadline and signal', async () => {
    const abort = new AbortController();
    await runInCall({ requestId: 'r1', timeoutMs: 60_000, signal: abort.signal }, async () => {
      await Promise.resolve();
      const call = currentCall();
      expect(call?.requestId).toBe('r1');
      expect(call?.remainingMs()).toBeGreaterThan(30_000);
      expect(call?.signal.aborted).toBe(false);
      abort.abort();
      expect(call?.signal.aborted).toBe(true);
    });
    expect(currentCall()).toBeUndefined();
  });

  it('aborts its signal at the deadline', async () => {
    await runInCall({ requestId: 'r2', timeoutMs: 500 }, async () => {
      const { signal } = currentCall()!;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      expect(signal.aborted).toBe(true);
    });
  });

  it('has an aborted signal at its first use after the deadline', async () => {
    await runInCall({ requestId: 'r2', timeoutMs: 1 }, async () => {
      await sleep(20);
      expect(currentCall()!.signal.aborted).toBe(true);
    });
  });

  it('aborts its signal at the deadline, also after a garbage collection', async () => {
    await runInCall({ requestId: 'r3', timeoutMs: 200, signal: new AbortController().signal }, async () => {
      const { signal } = currentCall()!;
      await sleep(50);
      collectGarbage();
      await sleep(300);
      expect(signal.aborted).toBe(true);
    });
  });
});
