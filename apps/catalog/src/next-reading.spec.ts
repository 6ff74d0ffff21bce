import { jest } from '@jest/globals';
import { NextReading } from './next-reading.js';

/** A reading that has begun: what it was asked, and how it ends. */
interface Begun {
  readonly questions: readonly string[];
  readonly end: (value: string) => void;
  readonly fail: (reason: Error) => void;
}

const begun: Begun[] = [];
const asked = (): string[] => begun.map(({ questions }) => questions.join('+'));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
let readings: NextReading<string, string>;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  begun.length = 0;
  readings = new NextReading((questions) => new Promise((end, fail) => begun.push({ questions, end, fail })));
});
afterEach(() => jest.useRealTimers());

/** Asks, and lets what can begin begin. */
async function ask(question: string): Promise<{ readonly value: Promise<string> }> {
  const value = readings.ask(question);
  await turn();
  return { value };
}

describe('readings that are shared', () => {
  it('are one for all who ask in the same turn, and the next one for all who ask while it is under way', async () => {
    const first = [readings.ask('a'), readings.ask('b')];
    await turn();
    const second = [await ask('c'), await ask('d')].map(({ value }) => value);
    expect(asked()).toEqual(['a+b']);
    begun[0]!.end('first');
    expect(await Promise.all(first)).toEqual(['first', 'first']);
    await turn();
    expect(asked()).toEqual(['a+b', 'c+d']);
    begun[1]!.end('second');
    expect(await Promise.all(second)).toEqual(['second', 'second']);
  });

  it('that are stuck hold nobody who asks later for more than 250 ms', async () => {
    await ask('stuck');
    const later = await ask('later');
    jest.advanceTimersByTime(249);
    await turn();
    expect(asked()).toEqual(['stuck']);
    jest.advanceTimersByTime(1);
    await turn();
    expect(asked()).toEqual(['stuck', 'later']);
    begun[1]!.end('found');
    await expect(later.value).resolves.toBe('found');
    await ask('even later');
    expect(asked()).toEqual(['stuck', 'later', 'even later']);
  });

  it('that end late leave the one that is under way alone', async () => {
    const slow = await ask('slow');
    jest.advanceTimersByTime(250);
    await ask('under way');
    begun[0]!.end('at last');
    await expect(slow.value).resolves.toBe('at last');
    await ask('next');
    expect(asked()).toEqual(['slow', 'under way']);
  });

  it('are four at once and no more, and go on when one of them fails', async () => {
    const four = ['1', '2', '3', '4'];
    const first = await ask('1');
    for (const question of [...four.slice(1), '5']) {
      jest.advanceTimersByTime(250);
      await ask(question);
    }
    jest.advanceTimersByTime(60_000);
    await ask('6');
    expect(asked()).toEqual(four);
    begun[0]!.fail(new Error('the link is lost'));
    await expect(first.value).rejects.toThrow('the link is lost');
    await turn();
    expect(asked()).toEqual([...four, '5+6']);
  });
});
