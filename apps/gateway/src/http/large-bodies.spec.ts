import type { FastifyRequest } from 'fastify';
import { runInCall } from '#request-queue';
import { LargeBodies } from './large-bodies.js';

const large = 2 * 1024 * 1024;
const newRequest = () => ({}) as FastifyRequest;

/** Asks in the name of a client that may go away. */
function asking(bodies: LargeBodies, bytes = large) {
  const request = newRequest();
  const client = new AbortController();
  let state = 'waits';
  void runInCall({ requestId: 'x', signal: client.signal }, () => bodies.enter(request, bytes)).then(
    () => (state = 'in'),
    (error: unknown) => (state = (error as { kind: { code: string } }).kind.code),
  );
  return { request, goAway: () => client.abort(), state: () => state };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const states = (all: ReturnType<typeof asking>[]) => all.map((it) => it.state());
const times = (count: number, bodies: LargeBodies) => Array.from({ length: count }, () => asking(bodies));

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

  it('never stops a small one', async () => {
    const bodies = new LargeBodies();
    const all = times(8, bodies);
    const small = asking(bodies, 1024 * 1024);
    await settled();
    expect(small.state()).toBe('in');
    bodies.leave(small.request);
    const next = asking(bodies);
    await settled();
    expect(next.state()).toBe('waits');
    for (const it of [...all, next]) it.goAway();
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

  it('refuses when too many wait', async () => {
    const bodies = new LargeBodies();
    const all = times(8 + 64, bodies);
    const last = asking(bodies);
    await settled();
    expect(last.state()).toBe('service.overloaded');
    for (const it of all) it.goAway();
  });
});
