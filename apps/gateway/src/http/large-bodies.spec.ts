import { jest } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { runInCall } from '#request-queue';
import { LargeBodies } from './large-bodies.js';

/** Asks in the name of a client that may go away; each is another user unless told otherwise. */
let users = 0;
function asking(bodies: LargeBodies, userId = ++users) {
  const request = {} as FastifyRequest;
  const client = new AbortController();
  let state = 'waits';
  void runInCall({ requestId: 'x', signal: client.signal }, () => bodies.enter(request, userId)).then(
    () => (state = 'in'),
    (error: unknown) => (state = (error as { kind: { code: string } }).kind.code),
  );
  return { request, goAway: () => client.abort(), state: () => state };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const states = (all: ReturnType<typeof asking>[]) => all.map((it) => it.state());
const times = (count: number, bodies: LargeBodies, userId?: number) =>
  Array.from({ length: count }, () => asking(bodies, userId));

describe('LargeBodies', () => {
  it('lets eight in, and the next in turn for each that ends, once', async () => {
    const bodies = new LargeBodies();
    const all = times(11, bodies);
    await settled();
    expect(states(all)).toEqual([...Array<string>(8).fill('in'), 'waits', 'waits', 'waits']);
    bodies.leave(all[0]!.request);
    bodies.leave(all[0]!.request);
    await settled();
    expect(states(all).slice(8)).toEqual(['in', 'waits', 'waits']);
    for (const { request } of all.slice(1)) bodies.leave(request);
    await settled();
    expect(states(all).slice(9)).toEqual(['in', 'in']);
    for (const { request } of all) bodies.leave(request);
    const more = times(9, bodies);
    await settled();
    expect(states(more)).toEqual([...Array<string>(8).fill('in'), 'waits']);
    for (const it of more) it.goAway();
  });

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
});
