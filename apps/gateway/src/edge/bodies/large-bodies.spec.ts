import { jest } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { runInCall } from '#request-queue';
import { LargeBodies, largeBodyLimits, type UploadPermit } from './large-bodies.js';

let users = 0;

/**
 * Requests a permit for a client that may disconnect; by default, each call is for another user at
 * another address.
 */
function requestPermit(bodies: LargeBodies, userId = ++users, address = `${++users}`) {
  const request = {} as FastifyRequest;
  const client = new AbortController();
  let state = 'waiting';
  let permit: UploadPermit | undefined;
  const fail = (error: unknown) => void (state = (error as { kind: { code: string } }).kind.code);
  void runInCall({ requestId: 'x', signal: client.signal }, () =>
    bodies.acquire(request, { userId, address }, fail),
  ).then((it) => {
    permit = it;
    state = 'admitted';
  }, fail);
  const send = (bytes: number) => permit!.add(bytes);
  return { request, disconnect: () => client.abort(), state: () => state, send, complete: () => permit!.complete() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const states = (all: ReturnType<typeof requestPermit>[]) => all.map((it) => it.state());
const requestPermits = (count: number, bodies: LargeBodies, userId?: number) =>
  Array.from({ length: count }, () => requestPermit(bodies, userId));

describe('LargeBodies', () => {
  it('limits permits per user: later users are admitted first', async () => {
    const bodies = new LargeBodies();
    const greedy = requestPermits(6, bodies, -1);
    const others = requestPermits(5, bodies);
    await settled();
    expect(states(greedy)).toEqual([...Array<string>(4).fill('admitted'), 'waiting', 'waiting']);
    expect(states(others)).toEqual([...Array<string>(4).fill('admitted'), 'waiting']);
    bodies.release(others[0]!.request);
    await settled();
    expect([greedy[4]!.state(), others[4]!.state()]).toEqual(['waiting', 'admitted']);
    bodies.release(greedy[0]!.request);
    await settled();
    expect(greedy[4]!.state()).toBe('admitted');
    for (const it of [...greedy, ...others]) it.disconnect();
  });

  it('gives the permit of a disconnected client to the next one', async () => {
    const bodies = new LargeBodies();
    const all = requestPermits(10, bodies);
    await settled();
    all[8]!.disconnect();
    all[0]!.disconnect();
    await settled();
    expect(states(all).slice(8)).toEqual(['service.overloaded', 'admitted']);
    for (const it of all) it.disconnect();
  });

  it('rejects uploads that have waited too long', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const bodies = new LargeBodies();
    const all = requestPermits(9, bodies);
    await settled();
    for (const it of all.slice(0, 8)) it.complete();
    jest.advanceTimersByTime(9_000);
    await settled();
    expect(all[8]!.state()).toBe('waiting');
    jest.advanceTimersByTime(1_000);
    await settled();
    jest.useRealTimers();
    expect(all[8]!.state()).toBe('service.overloaded');
    for (const it of all) it.disconnect();
  });

  it('rejects uploads if too many wait', async () => {
    const bodies = new LargeBodies();
    const all = requestPermits(8 + 64, bodies);
    const last = requestPermit(bodies);
    await settled();
    expect(last.state()).toBe('service.overloaded');
    for (const it of all) it.disconnect();
  });

  it('limits permits per address, for any number of users', async () => {
    const bodies = new LargeBodies();
    const same = Array.from({ length: 7 }, () => requestPermit(bodies, ++users, 'same'));
    const other = requestPermit(bodies);
    await settled();
    expect(states([...same, other])).toEqual([...Array<string>(6).fill('admitted'), 'waiting', 'admitted']);
    for (const it of [...same, other]) it.disconnect();
  });

  it('limits waiting uploads per user and address', async () => {
    const bodies = new LargeBodies();
    const greedy = requestPermits(4 + 9, bodies, -2);
    const same = Array.from({ length: 6 + 17 }, () => requestPermit(bodies, ++users, 'crowd'));
    const other = requestPermit(bodies);
    await settled();
    expect(states(greedy).slice(4)).toEqual([...Array<string>(8).fill('waiting'), 'service.overloaded']);
    expect(states(same).filter((it) => it === 'waiting')).toHaveLength(16);
    expect(other.state()).toBe('waiting');
    bodies.release(same[0]!.request);
    await settled();
    expect(other.state()).toBe('admitted');
    for (const it of [...greedy, ...same, other]) it.disconnect();
  });
});

describe('a slow upload', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  /** Sends the given bytes of each upload per second, for the grace period and one second more. */
  async function pass(uploads: readonly (readonly [ReturnType<typeof requestPermit>, number])[]): Promise<void> {
    for (let ms = 0; ms <= largeBodyLimits.graceMs; ms += 1_000) {
      for (const [upload, bytes] of uploads) if (upload.state() === 'admitted') upload.send(bytes);
      jest.advanceTimersByTime(1_000);
      await settled();
    }
  }
  const { bytesPerSecond, contestedBytesPerSecond } = largeBodyLimits;

  it('is rejected below the minimum rate, also if no upload waits; a complete one is not', async () => {
    const bodies = new LargeBodies();
    const [trickle, steady, whole] = [requestPermit(bodies), requestPermit(bodies), requestPermit(bodies)];
    await settled();
    whole.complete();
    await pass([
      [trickle, 4],
      [steady, bytesPerSecond * 1.5],
    ]);
    expect(states([trickle, steady, whole])).toEqual(['request.timed-out', 'admitted', 'admitted']);
    for (const it of [steady, whole]) it.disconnect();
  });

  it('is rejected in favor of a waiting one, the slowest first, and faster ones are not', async () => {
    const bodies = new LargeBodies();
    const fast = requestPermits(6, bodies);
    const [slow, slower] = [requestPermit(bodies), requestPermit(bodies)];
    const waiting = requestPermit(bodies);
    await settled();
    await pass([
      ...fast.map((it) => [it, contestedBytesPerSecond * 1.5] as const),
      [slow, bytesPerSecond * 4],
      [slower, bytesPerSecond * 2],
    ]);
    expect(states([slower, slow, waiting])).toEqual(['service.overloaded', 'admitted', 'admitted']);
    expect(states(fast)).toEqual(Array<string>(6).fill('admitted'));
    for (const it of [...fast, slow, waiting]) it.disconnect();
  });

  it('of two accounts does not block others: eight slow uploads are rejected, and waiting ones admitted', async () => {
    const bodies = new LargeBodies();
    const trickles = [...requestPermits(4, bodies, -4), ...requestPermits(4, bodies, -5)];
    const victim = requestPermit(bodies);
    await settled();
    expect(victim.state()).toBe('waiting');
    await pass(trickles.map((it) => [it, 4] as const));
    expect(states(trickles)).toEqual(Array<string>(8).fill('request.timed-out'));
    expect(victim.state()).toBe('admitted');
    victim.disconnect();
  });
});
