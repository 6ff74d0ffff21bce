import { jest } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { runInCall } from '#request-queue';
import { LargeBodies, largeBodyLimits, type UploadPermit } from './large-bodies.js';

/** Requests a permit for a client that may disconnect; each is another user at another address by default. */
let users = 0;
function asking(bodies: LargeBodies, userId = ++users, address = `${++users}`) {
  const request = {} as FastifyRequest;
  const client = new AbortController();
  let state = 'waits';
  let permit: UploadPermit | undefined;
  const fail = (error: unknown) => void (state = (error as { kind: { code: string } }).kind.code);
  void runInCall({ requestId: 'x', signal: client.signal }, () =>
    bodies.enter(request, { userId, address }, fail),
  ).then((it) => {
    permit = it;
    state = 'in';
  }, fail);
  const send = (bytes: number) => permit!.add(bytes);
  return { request, goAway: () => client.abort(), state: () => state, send, complete: () => permit!.complete() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const states = (all: ReturnType<typeof asking>[]) => all.map((it) => it.state());
const times = (count: number, bodies: LargeBodies, userId?: number) =>
  Array.from({ length: count }, () => asking(bodies, userId));

describe('LargeBodies', () => {
  it('lets no user take all places: who comes later goes first', async () => {
    const bodies = new LargeBodies();
    const greedy = times(6, bodies, -1);
    const others = times(5, bodies);
    await settled();
    expect(states(greedy)).toEqual([...Array<string>(4).fill('in'), 'waits', 'waits']);
    expect(states(others)).toEqual([...Array<string>(4).fill('in'), 'waits']);
    bodies.leave(others[0]!.request);
    await settled();
    expect([greedy[4]!.state(), others[4]!.state()]).toEqual(['waits', 'in']);
    bodies.leave(greedy[0]!.request);
    await settled();
    expect(greedy[4]!.state()).toBe('in');
    for (const it of [...greedy, ...others]) it.goAway();
  });

  it('gives the place of a client that has gone to the next', async () => {
    const bodies = new LargeBodies();
    const all = times(10, bodies);
    await settled();
    all[8]!.goAway();
    all[0]!.goAway();
    await settled();
    expect(states(all).slice(8)).toEqual(['service.overloaded', 'in']);
    for (const it of all) it.goAway();
  });

  it('refuses who has waited too long', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const bodies = new LargeBodies();
    const all = times(9, bodies);
    await settled();
    for (const it of all.slice(0, 8)) it.complete();
    jest.advanceTimersByTime(9_000);
    await settled();
    expect(all[8]!.state()).toBe('waits');
    jest.advanceTimersByTime(1_000);
    await settled();
    jest.useRealTimers();
    expect(all[8]!.state()).toBe('service.overloaded');
    for (const it of all) it.goAway();
  });

  it('refuses when too many wait', async () => {
    const bodies = new LargeBodies();
    const all = times(8 + 64, bodies);
    const last = asking(bodies);
    await settled();
    expect(last.state()).toBe('service.overloaded');
    for (const it of all) it.goAway();
  });

  it('leaves room for other addresses, however many users one has', async () => {
    const bodies = new LargeBodies();
    const same = Array.from({ length: 7 }, () => asking(bodies, ++users, 'same'));
    const other = asking(bodies);
    await settled();
    expect(states([...same, other])).toEqual([...Array<string>(6).fill('in'), 'waits', 'in']);
    for (const it of [...same, other]) it.goAway();
  });

  it('leaves room to wait: one user and one address have a part of it', async () => {
    const bodies = new LargeBodies();
    const greedy = times(4 + 9, bodies, -2);
    const same = Array.from({ length: 6 + 17 }, () => asking(bodies, ++users, 'crowd'));
    const other = asking(bodies);
    await settled();
    expect(states(greedy).slice(4)).toEqual([...Array<string>(8).fill('waits'), 'service.overloaded']);
    expect(states(same).filter((it) => it === 'waits')).toHaveLength(16);
    expect(other.state()).toBe('waits');
    bodies.leave(same[0]!.request);
    await settled();
    expect(other.state()).toBe('in');
    for (const it of [...greedy, ...same, other]) it.goAway();
  });
});

describe('a slow upload', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  /** Each second of the grace period and one more, every upload sends as many bytes. */
  async function pass(uploads: readonly (readonly [ReturnType<typeof asking>, number])[]): Promise<void> {
    for (let ms = 0; ms <= largeBodyLimits.graceMs; ms += 1_000) {
      for (const [upload, bytes] of uploads) if (upload.state() === 'in') upload.send(bytes);
      jest.advanceTimersByTime(1_000);
      await settled();
    }
  }
  const { bytesPerSecond, contestedBytesPerSecond } = largeBodyLimits;

  it('is given up below the minimum rate, although nobody waits; one that has arrived is not', async () => {
    const bodies = new LargeBodies();
    const [trickle, steady, whole] = [asking(bodies), asking(bodies), asking(bodies)];
    await settled();
    whole.complete();
    await pass([
      [trickle, 4],
      [steady, bytesPerSecond * 1.5],
    ]);
    expect(states([trickle, steady, whole])).toEqual(['request.timed-out', 'in', 'in']);
    for (const it of [steady, whole]) it.goAway();
  });

  it('is given up for one that waits, the slowest first, and no faster one', async () => {
    const bodies = new LargeBodies();
    const fast = times(6, bodies);
    const [slow, slower] = [asking(bodies), asking(bodies)];
    const waiting = asking(bodies);
    await settled();
    await pass([
      ...fast.map((it) => [it, contestedBytesPerSecond * 1.5] as const),
      [slow, bytesPerSecond * 4],
      [slower, bytesPerSecond * 2],
    ]);
    expect(states([slower, slow, waiting])).toEqual(['service.overloaded', 'in', 'in']);
    expect(states(fast)).toEqual(Array<string>(6).fill('in'));
    for (const it of [...fast, slow, waiting]) it.goAway();
  });

  it('of two accounts leaves permits to others: eight trickles end, and who waits is let in', async () => {
    const bodies = new LargeBodies();
    const trickles = [...times(4, bodies, -4), ...times(4, bodies, -5)];
    const victim = asking(bodies);
    await settled();
    expect(victim.state()).toBe('waits');
    await pass(trickles.map((it) => [it, 4] as const));
    expect(states(trickles)).toEqual(Array<string>(8).fill('request.timed-out'));
    expect(victim.state()).toBe('in');
    victim.goAway();
  });
});
