import { AsyncLocalStorage } from 'node:async_hooks';
import { jest } from '@jest/globals';
import { Coalescer } from './coalescer.js';

/** An operation that the coalescer has started, with the requests that share it. */
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

/** Adds a request, and waits until its operation could start. */
async function request(name: string): Promise<{ readonly value: Promise<string> }> {
  const value = coalescer.request(name);
  await tick();
  return { value };
}

describe('Coalescer', () => {
  it('shares an operation among the requests of a tick, and the next among requests that arrive during it', async () => {
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

  it('waits for a stuck operation at most until the timeout', async () => {
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

  it('waits for the operation in flight when an earlier one ends late', async () => {
    const slow = await request('slow');
    jest.advanceTimersByTime(250);
    await request('in flight');
    operations[0]!.end('late');
    await expect(slow.value).resolves.toBe('late');
    await request('next');
    expect(batches()).toEqual(['slow', 'in flight']);
  });

  it('has at most four operations in flight, and continues when one of them fails', async () => {
    const four = ['1', '2', '3', '4'];
    const first = await request('1');
    for (const name of [...four.slice(1), '5']) {
      jest.advanceTimersByTime(250);
      await request(name);
    }
    jest.advanceTimersByTime(60_000);
    await request('6');
    expect(batches()).toEqual(four);
    operations[0]!.fail(new Error('connection lost'));
    await expect(first.value).rejects.toThrow('connection lost');
    await tick();
    expect(batches()).toEqual([...four, '5+6']);
  });

  it('runs an operation in the context of its first request, not of an earlier operation', async () => {
    jest.useRealTimers();
    const ticks = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await new Promise((resolve) => void setImmediate(resolve));
    };
    const context = new AsyncLocalStorage<string>();
    const contexts: (string | undefined)[] = [];
    const all = new Coalescer<string, void>(
      async () => {
        contexts.push(context.getStore());
        await ticks(6);
      },
      { timeoutMs: 250, maxConcurrent: 4 },
    );
    const requests = ['first', 'second', 'third'].map(async (name, at) => {
      // Each request arrives while the operation of the one before is in flight
      await ticks([0, 3, 9][at]!);
      await context.run(name, () => all.request(name));
    });
    await Promise.all(requests);
    expect(contexts).toEqual(['first', 'second', 'third']);
  });

  describe('with gatherMs', () => {
    beforeEach(() => {
      coalescer = new Coalescer((requests) => new Promise((end, fail) => operations.push({ requests, end, fail })), {
        timeoutMs: 250,
        maxConcurrent: 1,
        gatherMs: 1,
      });
    });

    /** Sends many requests at once, so that many are expected, and ends their operation. */
    async function manyRequests(): Promise<void> {
      const all = Array.from({ length: 200 }, (_, n) => coalescer.request(`${n}`));
      await tick();
      jest.advanceTimersByTime(1);
      operations.pop()!.end('over');
      await Promise.all(all);
    }

    it('starts at once while few requests arrive', async () => {
      await request('a');
      expect(batches()).toEqual(['a']);
    });

    it('waits for the callers of the last operation, and for those that have waited for it', async () => {
      await manyRequests();
      const [first, ...others] = Array.from({ length: 200 }, (_, n) => coalescer.request(`next ${n}`));
      await tick();
      expect(operations.map(({ requests }) => requests.length)).toEqual([200]);
      const late = [coalescer.request('late 0'), coalescer.request('late 1')];
      operations.pop()!.end('over');
      await Promise.all([first, ...others]);
      for (let n = 0; n < 199; n++) void coalescer.request(`again ${n}`);
      await tick();
      expect(operations).toEqual([]);
      const last = coalescer.request('again 199');
      expect(operations.map(({ requests }) => requests.length)).toEqual([202]);
      operations[0]!.end('over');
      expect(await Promise.all([...late, last])).toEqual(['over', 'over', 'over']);
    });

    it('waits no longer than that', async () => {
      await manyRequests();
      void coalescer.request('a');
      await tick();
      expect(batches()).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(batches()).toEqual(['a']);
      // The timer is over
      operations[0]!.end('over');
      await tick();
      expect(batches()).toEqual(['a']);
    });
  });
});
