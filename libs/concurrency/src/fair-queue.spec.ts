import { deferred } from './deferred.js';
import { FairQueue, type FairQueueOptions, type Priority, Ticket } from './fair-queue.js';

const overloaded = 'overloaded';
const ticket = (priority: Priority, weight = 1) => new Ticket(priority, undefined, weight);

function fairQueue(options: Omit<FairQueueOptions, 'overloaded'>) {
  const queue = new FairQueue({ ...options, overloaded: () => new Error(overloaded) });
  return { run: <R>(work: () => Promise<R>, it = ticket('interactive')) => queue.run(work, it) };
}

/** Work that ends when the test calls `end`. */
function pieceOfWork(name: string, begun: string[]) {
  const { promise: ended, resolve: end } = deferred();
  const work = async (): Promise<string> => {
    begun.push(name);
    await ended;
    return name;
  };
  return { work, end };
}

/** Longer than a test may take. */
const hour = 3_600_000;
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('FairQueue', () => {
  it('runs as much work concurrently as it has permits, and the next work when a permit is released', async () => {
    const queue = fairQueue({ permits: 2, maxWaiting: 5, timeoutMs: hour });
    const begun: string[] = [];
    const [a, b, c] = ['a', 'b', 'c'].map((name) => pieceOfWork(name, begun));
    const all = [a!, b!, c!].map(({ work }) => queue.run(work));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    a!.end();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c']);
    b!.end();
    c!.end();
    await expect(Promise.all(all)).resolves.toEqual(['a', 'b', 'c']);
  });

  it('rejects interactive work when the queue is full, never background work', async () => {
    const queue = fairQueue({ permits: 1, maxWaiting: 1, timeoutMs: hour });
    const begun: string[] = [];
    const pieces = ['a', 'b', 'c'].map((name) => pieceOfWork(name, begun));
    const [first, second] = pieces.slice(0, 2).map(({ work }) => queue.run(work));
    const background = queue.run(pieces[2]!.work, ticket('background'));
    await expect(queue.run(() => Promise.resolve())).rejects.toThrow(overloaded);
    for (const { end } of pieces) end();
    await expect(Promise.all([first, second, background])).resolves.toEqual(['a', 'b', 'c']);
  });

  it('runs interactive work before background work', async () => {
    const queue = fairQueue({ permits: 1, maxWaiting: 5, timeoutMs: hour });
    const begun: string[] = [];
    const pieces = ['running', 'background', 'interactive'].map((name) => pieceOfWork(name, begun));
    const all = [undefined, ticket('background'), ticket('interactive')].map((it, n) => queue.run(pieces[n]!.work, it));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'interactive', 'background']);
  });

  it('moves background work up when an interactive caller joins it', async () => {
    const queue = fairQueue({ permits: 1, maxWaiting: 5, timeoutMs: hour });
    const begun: string[] = [];
    const pieces = ['running', 'background', 'joined', 'interactive'].map((name) => pieceOfWork(name, begun));
    const joined = ticket('background');
    const tickets = [undefined, ticket('background'), joined, ticket('interactive')];
    const all = tickets.slice(0, 3).map((it, n) => queue.run(pieces[n]!.work, it));
    joined.join('interactive');
    all.push(queue.run(pieces[3]!.work, tickets[3]));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'joined', 'interactive', 'background']);
  });

  it('neither reruns nor rejects background work that is joined while it runs or waits', async () => {
    const queue = fairQueue({ permits: 1, maxWaiting: 5, timeoutMs: 10 });
    const begun: string[] = [];
    const pieces = ['running', 'joined'].map((name) => pieceOfWork(name, begun));
    const tickets = pieces.map(() => ticket('background'));
    const all = pieces.map(({ work }, n) => queue.run(work, tickets[n]));
    for (const it of tickets) it.join('interactive');
    await new Promise((resolve) => setTimeout(resolve, 30));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'joined']);
  });

  it('never rejects work with a background caller, in either order of callers', async () => {
    const queue = fairQueue({ permits: 1, maxWaiting: 1, timeoutMs: 10 });
    const begun: string[] = [];
    const pieces = ['running', 'interactive, then background', 'background, then interactive'].map((name) =>
      pieceOfWork(name, begun),
    );
    const [one, other] = [ticket('interactive'), ticket('background')];
    const first = queue.run(pieces[0]!.work);
    const second = queue.run(pieces[1]!.work, one);
    one.join('background');
    other.join('interactive');
    // The queue is full
    const third = queue.run(pieces[2]!.work, other);
    await expect(queue.run(() => Promise.resolve())).rejects.toThrow(overloaded);
    await new Promise((resolve) => setTimeout(resolve, 30));
    for (const { end } of pieces) end();
    await Promise.all([first, second, third]);
    expect(begun).toEqual(['running', 'interactive, then background', 'background, then interactive']);
  });

  it('rejects work after the timeout, and leaks no permit', async () => {
    const queue = fairQueue({ permits: 1, maxWaiting: 5, timeoutMs: 10 });
    const piece = pieceOfWork('a', []);
    const first = queue.run(piece.work);
    await expect(queue.run(() => Promise.resolve())).rejects.toThrow(overloaded);
    piece.end();
    await first;
    await expect(queue.run(() => Promise.resolve('free'))).resolves.toBe('free');
  });

  it('releases the permit when the work fails', async () => {
    const queue = fairQueue({ permits: 1, maxWaiting: 0, timeoutMs: 10 });
    await expect(queue.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(queue.run(() => Promise.resolve('free'))).resolves.toBe('free');
  });

  describe('with weights', () => {
    /** A queue with four permits, whose work runs until the test ends it. */
    const open = (maxWaitingExclusive = 2, timeoutMs = hour) => {
      const queue = fairQueue({ permits: 4, maxWaiting: 40, maxWaitingExclusive, timeoutMs });
      const begun: string[] = [];
      const ends = new Map<string, () => void>();
      const enter = async (name: string, weight: number, priority: Priority = 'interactive') => {
        const piece = pieceOfWork(name, begun);
        ends.set(name, piece.end);
        return queue.run(piece.work, ticket(priority, weight));
      };
      const end = async (name: string) => {
        ends.get(name)!();
        await settle();
      };
      return { begun, enter, end, endAll: () => ends.forEach((each) => each()) };
    };

    it('limits the total weight of running work to its permits', async () => {
      const { begun, enter, end, endAll } = open();
      const all = [enter('two', 2), enter('one', 1), enter('another two', 2), enter('more than all', 9)];
      await settle();
      expect(begun).toEqual(['two', 'one']);
      await end('one');
      expect(begun).toEqual(['two', 'one', 'another two']);
      await end('two');
      expect(begun).toHaveLength(3);
      await end('another two');
      expect(begun.at(-1)).toBe('more than all');
      endAll();
      await Promise.all(all);
      // All permits were released
      const again = ['a', 'b', 'c', 'd'].map((name) => enter(name, 1));
      await settle();
      expect(begun.slice(4)).toEqual(['a', 'b', 'c', 'd']);
      endAll();
      await Promise.all(again);
    });

    it('runs light work before heavy work, and both before background work', async () => {
      const { begun, enter, end, endAll } = open();
      const all = [enter('first', 4), enter('background', 1, 'background'), enter('heavy', 4), enter('light', 1)];
      await end('first');
      expect(begun).toEqual(['first', 'light']);
      await end('light');
      // Background work would fit beside light work, but must not delay heavy work
      expect(begun).toEqual(['first', 'light', 'heavy']);
      endAll();
      await end('heavy');
      endAll();
      await Promise.all(all);
    });

    it('runs heavy work after at most 12 overtakes by light work', async () => {
      const { begun, enter, end, endAll } = open();
      const all = [enter('first', 4), enter('heavy', 4)];
      for (let n = 0; n < 30; n++) all.push(enter(`light ${n}`, 1));
      await end('first');
      for (let n = 0; n < 12; n++) await end(`light ${n}`);
      expect(begun.slice(0, 13)).not.toContain('heavy');
      expect(begun[13]).toBe('heavy');
      await end('heavy');
      expect(begun[14]).toBe('light 12');
      while (begun.length < 32) await end(begun.at(-1)!).then(endAll);
      endAll();
      await Promise.all(all);
    });

    it('limits how much heavy work waits, separately from light work', async () => {
      const { enter, endAll, end } = open(2);
      const all = [enter('first', 4), enter('second', 4), enter('third', 4)];
      await expect(enter('too much', 4)).rejects.toThrow(overloaded);
      all.push(enter('light', 1), enter('background', 4, 'background'));
      for (const name of ['first', 'light', 'second', 'third', 'background']) await end(name);
      endAll();
      await expect(Promise.all(all)).resolves.toHaveLength(5);
    });

    it('admits waiting work when the heavy work before it is rejected', async () => {
      const { begun, enter, endAll } = open(2, 30);
      const all = [enter('running', 1)];
      const heavy = enter('heavy', 4);
      all.push(enter('background', 1, 'background'));
      await settle();
      expect(begun).toEqual(['running']);
      await expect(heavy).rejects.toThrow(overloaded);
      await settle();
      expect(begun).toEqual(['running', 'background']);
      endAll();
      await Promise.all(all);
    });
  });

  describe('with several callers', () => {
    /** A queue with one permit, whose work runs until the test ends it. */
    const open = (maxWaiting: number) => {
      const queue = fairQueue({ permits: 1, maxWaiting, timeoutMs: hour });
      const begun: string[] = [];
      const rejected: string[] = [];
      const ends: (() => void)[] = [];
      const enter = (caller: string | undefined, name: string): void => {
        const piece = pieceOfWork(name, begun);
        ends.push(piece.end);
        void queue.run(piece.work, new Ticket('interactive', caller)).catch(() => rejected.push(name));
      };
      const endAll = async (): Promise<void> => {
        for (const end of ends) end();
        await settle();
      };
      return { begun, rejected, enter, endAll };
    };

    it('alternates between callers, however much work one of them queued before the others', async () => {
      const { begun, enter, endAll } = open(10);
      for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name);
      for (const name of ['b1', 'b2']) enter('b', name);
      enter('c', 'c1');
      await endAll();
      expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    });

    it('rejects the last work of the caller with the most work when maxWaiting is exceeded', async () => {
      const { begun, rejected, enter, endAll } = open(3);
      for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name);
      for (const name of ['b1', 'c1']) enter('b', name);
      enter('a', 'a5');
      await settle();
      expect(rejected).toEqual(['a4', 'a3', 'a5']);
      await endAll();
      expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
    });

    it('runs work without a caller in the order of arrival', async () => {
      const { begun, rejected, enter, endAll } = open(2);
      for (const name of ['first', 'second', 'third', 'fourth']) enter(undefined, name);
      await endAll();
      expect([begun, rejected]).toEqual([['first', 'second', 'third'], ['fourth']]);
    });
  });
});
