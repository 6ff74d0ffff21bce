import { jest } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, of } from 'rxjs';
import type { Database } from '#persistence';
import { AwaitRevocationBroadcast } from './await-revocation-broadcast.interceptor.js';

/**
 * Returns how often the outbox is read before the reply, if the first `pendingChecks` reads find a
 * pending revocation.
 */
async function countChecks(pendingChecks: number, afterCheck: () => void = () => undefined): Promise<number> {
  let checks = 0;
  const query = (sql: string) => {
    if (sql.includes('clock_timestamp')) return Promise.resolve([{ now: '2026-01-01' }]);
    checks += 1;
    afterCheck();
    return Promise.resolve(checks <= pendingChecks ? [{}] : []);
  };
  const interceptor = new AwaitRevocationBroadcast({ query } as unknown as Database);
  const replies = interceptor.intercept({} as ExecutionContext, { handle: () => of('done') });
  expect(await firstValueFrom(replies)).toBe('done');
  return checks;
}

it('replies when the outbox has no pending revocation', async () => {
  expect(await countChecks(0)).toBe(1);
  expect(await countChecks(5)).toBe(6);
});

it('does not reply earlier after a blocked event loop', async () => {
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  expect(await countChecks(5, () => (now += 2_000))).toBe(6);
  jest.restoreAllMocks();
});

it('replies after 200 checks when a revocation stays pending', async () => {
  expect(await countChecks(Infinity)).toBe(200);
});
