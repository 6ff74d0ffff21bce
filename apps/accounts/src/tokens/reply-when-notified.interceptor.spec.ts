import { jest } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, of } from 'rxjs';
import type { Database } from '#persistence';
import { ReplyWhenNotified } from './reply-when-notified.interceptor.js';

/** How often the outbox is looked at until there is an answer, when so many looks find that gateways are still to be told. */
async function looksWhen(waiting: number, afterLook: () => void = () => undefined): Promise<number> {
  let looks = 0;
  const query = (sql: string) => {
    if (sql.includes('clock_timestamp')) return Promise.resolve([{ now: '2026-01-01' }]);
    looks += 1;
    afterLook();
    return Promise.resolve(looks <= waiting ? [{}] : []);
  };
  const interceptor = new ReplyWhenNotified({ query } as unknown as Database);
  const answers = interceptor.intercept({} as ExecutionContext, { handle: () => of('done') });
  expect(await firstValueFrom(answers)).toBe('done');
  return looks;
}

it('is given when all gateways have been told', async () => {
  expect(await looksWhen(0)).toBe(1);
  expect(await looksWhen(5)).toBe(6);
});

it('is not given sooner because the process stood still', async () => {
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  expect(await looksWhen(5, () => (now += 2_000))).toBe(6);
  jest.restoreAllMocks();
});

it('is given all the same when nobody tells them', async () => {
  expect(await looksWhen(Infinity)).toBe(200);
});
