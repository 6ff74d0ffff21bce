import { jest } from '@jest/globals';
import { Coalescer } from './coalescer.js';

/** An operation in flight: the requests that share it, and how it ends. */
interface Operation {
  readonly requests: readonly string[];
  readonly end: (value: string) => void;
  readonly fail: (reason: Error) => void;
}

const operations: Operation[] = [];
const batches = (): string[] => operations.map(({ requests }) => requests.join('+'));
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
let coalescer: Coalescer<string, string>;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  operations.length = 0;
  coalescer = new Coalescer((requests) => new Promise((end, fail) => operations.push({ requests, end, fail })), {
    timeoutMs: 250,
    maxConcurrent: 4,
  });
});
afterEach(() => jest.useRealTimers());

/** Requests, and lets the operation start when it can. */
async function request(name: string): Promise<{ readonly value: Promise<string> }> {
  const value = coalescer.request(name);
  await tick();
  return { value };
}

describe('Coalescer', () => {
  it('shares an operation among the requests of a tick, and the next one among those that come while it is in flight', async () => {
    const first = [coalescer.request('a'), coalescer.request('b')];
    await tick();
    const second = [await request('c'), await request('d')].map(({ value }) => value);
    expect(batches()).toEqual(['a+b']);
    operations[0]!.end('first');
    expect(await Promise.all(first)).toEqual(['first', 'first']);
    await tick();
    expect(batches()).toEqual(['a+b', 'c+d']);
    operations[1]!.end('second');
    expect(await Promise.all(second)).toEqual(['second', 'second']);
  });

  it('waits for a stuck operation no longer than the timeout', async () => {
    await request('stuck');
    const later = await request('later');
    jest.advanceTimersByTime(249);
    await tick();
    expect(batches()).toEqual(['stuck']);
    jest.advanceTimersByTime(1);
    await tick();
    expect(batches()).toEqual(['stuck', 'later']);
    operations[1]!.end('found');
    await expect(later.value).resolves.toBe('found');
    await request('even later');
    expect(batches()).toEqual(['stuck', 'later', 'even later']);
  });

  it('does not overlap the operation in flight when an earlier one ends late', async () => {
    const slow = await request('slow');
    jest.advanceTimersByTime(250);
    await request('under way');
    operations[0]!.end('at last');
    await expect(slow.value).resolves.toBe('at last');
    await request('next');
    expect(batches()).toEqual(['slow', 'under way']);
  });

  it('has four operations in flight at most, and continues when one of them fails', async () => {
    const four = ['1', '2', '3', '4'];
    const first = await request('1');
    for (const name of [...four.slice(1), '5']) {
      jest.advanceTimersByTime(250);
      await request(name);
    }
    jest.advanceTimersByTime(60_000);
    await request('6');
    expect(batches()).toEqual(four);
    operations[0]!.fail(new Error('the link is lost'));
    await expect(first.value).rejects.toThrow('the link is lost');
    await tick();
    expect(batches()).toEqual([...four, '5+6']);
  });
});
