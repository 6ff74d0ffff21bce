import { Gate, Turn } from './gate.js';

const overloaded = { kind: { code: 'service.overloaded', status: 503 } };

/** A piece of work that ends when the test says so. */
function pieceOfWork(name: string, begun: string[]) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async (): Promise<string> => {
    begun.push(name);
    await ended;
    return name;
  };
  return { work, end };
}

/** Of who does not give up. */
const hour = 3_600_000;
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a gate', () => {
  it('runs as many at once as it has places, and the next when one ends', async () => {
    const gate = new Gate({ of: 'test', places: 2, waiting: 5, patienceMs: hour });
    const begun: string[] = [];
    const [a, b, c] = ['a', 'b', 'c'].map((name) => pieceOfWork(name, begun));
    const all = [a!, b!, c!].map(({ work }) => gate.run(work));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    a!.end();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c']);
    b!.end();
    c!.end();
    await expect(Promise.all(all)).resolves.toEqual(['a', 'b', 'c']);
  });

  it('refuses urgent work when the line is full, never patient work', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 1, patienceMs: hour });
    const begun: string[] = [];
    const pieces = ['a', 'b', 'c'].map((name) => pieceOfWork(name, begun));
    const [first, second] = pieces.slice(0, 2).map(({ work }) => gate.run(work));
    const patient = gate.run(pieces[2]!.work, new Turn('patient'));
    await expect(gate.run(() => Promise.resolve())).rejects.toMatchObject(overloaded);
    for (const { end } of pieces) end();
    await expect(Promise.all([first, second, patient])).resolves.toEqual(['a', 'b', 'c']);
  });

  it('lets urgent work pass patient work', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 5, patienceMs: hour });
    const begun: string[] = [];
    const pieces = ['running', 'patient', 'urgent'].map((name) => pieceOfWork(name, begun));
    const all = [undefined, new Turn('patient'), new Turn('urgent')].map((turn, n) => gate.run(pieces[n]!.work, turn));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'urgent', 'patient']);
  });

  it('lets patient work pass when somebody begins to wait for it', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 5, patienceMs: hour });
    const begun: string[] = [];
    const pieces = ['running', 'patient', 'hurried', 'urgent'].map((name) => pieceOfWork(name, begun));
    const hurried = new Turn('patient');
    const turns = [undefined, new Turn('patient'), hurried, new Turn('urgent')];
    const all = turns.slice(0, 3).map((turn, n) => gate.run(pieces[n]!.work, turn));
    hurried.join('urgent');
    all.push(gate.run(pieces[3]!.work, turns[3]));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'hurried', 'urgent', 'patient']);
  });

  it('does not run work again, or give up on it, that is hurried when it runs or has waited long', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 5, patienceMs: 10 });
    const begun: string[] = [];
    const pieces = ['running', 'hurried'].map((name) => pieceOfWork(name, begun));
    const turns = pieces.map(() => new Turn('patient'));
    const all = pieces.map(({ work }, n) => gate.run(work, turns[n]));
    for (const turn of turns) turn.join('urgent');
    await new Promise((resolve) => setTimeout(resolve, 30));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'hurried']);
  });

  it('never refuses or gives up on what background work needs, whoever asked first and whenever it comes', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 1, patienceMs: 10 });
    const begun: string[] = [];
    const pieces = ['running', 'asked, then needed', 'needed, then asked'].map((name) => pieceOfWork(name, begun));
    const [asked, needed] = [new Turn('urgent'), new Turn('patient')];
    const first = gate.run(pieces[0]!.work);
    const second = gate.run(pieces[1]!.work, asked);
    asked.join('patient');
    needed.join('urgent');
    // The line is full
    const third = gate.run(pieces[2]!.work, needed);
    await expect(gate.run(() => Promise.resolve())).rejects.toMatchObject(overloaded);
    await new Promise((resolve) => setTimeout(resolve, 30));
    for (const { end } of pieces) end();
    await Promise.all([first, second, third]);
    expect(begun).toEqual(['running', 'asked, then needed', 'needed, then asked']);
  });

  it('refuses what has waited too long, and does not lose the place', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 5, patienceMs: 10 });
    const piece = pieceOfWork('a', []);
    const first = gate.run(piece.work);
    await expect(gate.run(() => Promise.resolve())).rejects.toMatchObject(overloaded);
    piece.end();
    await first;
    await expect(gate.run(() => Promise.resolve('free'))).resolves.toBe('free');
  });

  it('gives the place back when the work fails', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 0, patienceMs: 10 });
    await expect(gate.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(gate.run(() => Promise.resolve('free'))).resolves.toBe('free');
  });

  describe('whose work weighs', () => {
    /** Four places. Work runs until it is ended, in the order in which it began. */
    const open = (waitingAlone = 2, patienceMs = hour) => {
      const gate = new Gate({ of: 'test', places: 4, waiting: 40, waitingAlone, patienceMs });
      const begun: string[] = [];
      const ends = new Map<string, () => void>();
      const enter = async (name: string, weight: number, lane: 'urgent' | 'patient' = 'urgent') => {
        const piece = pieceOfWork(name, begun);
        ends.set(name, piece.end);
        return gate.run(piece.work, new Turn(lane, weight));
      };
      const end = async (name: string) => {
        ends.get(name)!();
        await settle();
      };
      return { begun, enter, end, endAll: () => ends.forEach((each) => each()) };
    };

    it('runs no more than its places at once', async () => {
      const { begun, enter, end, endAll } = open();
      const all = [enter('two', 2), enter('one', 1), enter('another two', 2), enter('more than there is', 9)];
      await settle();
      expect(begun).toEqual(['two', 'one']);
      await end('one');
      expect(begun).toEqual(['two', 'one', 'another two']);
      await end('two');
      expect(begun).toHaveLength(3);
      await end('another two');
      expect(begun.at(-1)).toBe('more than there is');
      endAll();
      await Promise.all(all);
      // All places came back
      const again = ['a', 'b', 'c', 'd'].map((name) => enter(name, 1));
      await settle();
      expect(begun.slice(4)).toEqual(['a', 'b', 'c', 'd']);
      endAll();
      await Promise.all(again);
    });

    it('lets light work pass heavy work, and both pass background work', async () => {
      const { begun, enter, end, endAll } = open();
      const all = [enter('first', 4), enter('background', 1, 'patient'), enter('heavy', 4), enter('light', 1)];
      await end('first');
      expect(begun).toEqual(['first', 'light']);
      await end('light');
      // Background work would fit beside light work, and does not hold up the heavy one
      expect(begun).toEqual(['first', 'light', 'heavy']);
      endAll();
      await end('heavy');
      endAll();
      await Promise.all(all);
    });

    it('lets heavy work have its turn, however much light work comes', async () => {
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

    it('bounds how much heavy work waits, apart from the light', async () => {
      const { enter, endAll, end } = open(2);
      const all = [enter('first', 4), enter('second', 4), enter('third', 4)];
      await expect(enter('too much', 4)).rejects.toMatchObject(overloaded);
      all.push(enter('light', 1), enter('background', 4, 'patient'));
      for (const name of ['first', 'light', 'second', 'third', 'background']) await end(name);
      endAll();
      await expect(Promise.all(all)).resolves.toHaveLength(5);
    });

    it('lets others in when the heavy one that they waited for is refused', async () => {
      const { begun, enter, endAll } = open(2, 30);
      const all = [enter('running', 1)];
      const heavy = enter('heavy', 4);
      all.push(enter('background', 1, 'patient'));
      await settle();
      expect(begun).toEqual(['running']);
      await expect(heavy).rejects.toMatchObject(overloaded);
      await settle();
      expect(begun).toEqual(['running', 'background']);
      endAll();
      await Promise.all(all);
    });
  });

  describe('before which several callers stand', () => {
    /** One place. What is begun runs until the test ends it. */
    const open = (waiting: number) => {
      const gate = new Gate({ of: 'test', places: 1, waiting, patienceMs: hour });
      const begun: string[] = [];
      const refused: string[] = [];
      const ends: (() => void)[] = [];
      const enter = (caller: string | undefined, name: string): void => {
        const piece = pieceOfWork(name, begun);
        ends.push(piece.end);
        void gate.run(piece.work, new Turn('urgent', 1, caller)).catch(() => refused.push(name));
      };
      const endAll = async (): Promise<void> => {
        for (const end of ends) end();
        await settle();
      };
      return { begun, refused, enter, endAll };
    };

    it('lets the callers take turns, however much one of them has brought before the others came', async () => {
      const { begun, enter, endAll } = open(10);
      for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name);
      for (const name of ['b1', 'b2']) enter('b', name);
      enter('c', 'c1');
      await endAll();
      expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    });

    it('refuses of a full line the last one of who has the most in it', async () => {
      const { begun, refused, enter, endAll } = open(3);
      for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name);
      for (const name of ['b1', 'c1']) enter('b', name);
      enter('a', 'a5');
      await settle();
      expect(refused).toEqual(['a4', 'a3', 'a5']);
      await endAll();
      expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
    });

    it('keeps the order of those of whom it does not know whose they are', async () => {
      const { begun, refused, enter, endAll } = open(2);
      for (const name of ['first', 'second', 'third', 'fourth']) enter(undefined, name);
      await endAll();
      expect([begun, refused]).toEqual([['first', 'second', 'third'], ['fourth']]);
    });
  });
});
