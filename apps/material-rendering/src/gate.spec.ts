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

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a gate', () => {
  it('runs as many at once as it has places, and the next when one ends', async () => {
    const gate = new Gate({ of: 'test', places: 2, waiting: 5, patienceMs: 1000 });
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
    const gate = new Gate({ of: 'test', places: 1, waiting: 1, patienceMs: 1000 });
    const begun: string[] = [];
    const pieces = ['a', 'b', 'c'].map((name) => pieceOfWork(name, begun));
    const [first, second] = pieces.slice(0, 2).map(({ work }) => gate.run(work));
    const patient = gate.run(pieces[2]!.work, new Turn('patient'));
    await expect(gate.run(() => Promise.resolve())).rejects.toMatchObject(overloaded);
    for (const { end } of pieces) end();
    await expect(Promise.all([first, second, patient])).resolves.toEqual(['a', 'b', 'c']);
  });

  it('lets urgent work pass patient work', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 5, patienceMs: 1000 });
    const begun: string[] = [];
    const pieces = ['running', 'patient', 'urgent'].map((name) => pieceOfWork(name, begun));
    const all = [undefined, new Turn('patient'), new Turn('urgent')].map((turn, n) => gate.run(pieces[n]!.work, turn));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'urgent', 'patient']);
  });

  it('lets patient work pass when somebody begins to wait for it', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 5, patienceMs: 1000 });
    const begun: string[] = [];
    const pieces = ['running', 'patient', 'hurried', 'urgent'].map((name) => pieceOfWork(name, begun));
    const hurried = new Turn('patient');
    const turns = [undefined, new Turn('patient'), hurried, new Turn('urgent')];
    const all = turns.slice(0, 3).map((turn, n) => gate.run(pieces[n]!.work, turn));
    hurried.hurry();
    all.push(gate.run(pieces[3]!.work, turns[3]));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'hurried', 'urgent', 'patient']);
    expect(hurried.lane).toBe('urgent');
  });

  it('does not run work again, or give up on it, that is hurried when it runs or has waited long', async () => {
    const gate = new Gate({ of: 'test', places: 1, waiting: 5, patienceMs: 10 });
    const begun: string[] = [];
    const pieces = ['running', 'hurried'].map((name) => pieceOfWork(name, begun));
    const turns = pieces.map(() => new Turn('patient'));
    const all = pieces.map(({ work }, n) => gate.run(work, turns[n]));
    for (const turn of turns) turn.hurry();
    await new Promise((resolve) => setTimeout(resolve, 30));
    for (const { end } of pieces) end();
    await Promise.all(all);
    expect(begun).toEqual(['running', 'hurried']);
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
});
