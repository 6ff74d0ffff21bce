import { collectGarbage } from '#testing';
import type { QueueConnection } from './connection.js';
import { PopLoop } from './pop-loop.js';

/** Connection with an empty list whose pops return immediately, so that iterations are cheap. */
const redis = {
  stream: {},
  client: () => Promise.resolve(7),
  blmpopBuffer: () => Promise.resolve(null),
};
const connection = {
  ready: true,
  redis,
  run: (send: (stub: typeof redis) => Promise<unknown>) => send(redis),
} as unknown as QueueConnection;

/** Resolves with the running loop after a number of iterations. */
function afterIterations(count: number, capacity: () => number | Promise<number>): Promise<PopLoop> {
  return new Promise((resolve) => {
    let iterations = 0;
    const countedCapacity = async () => {
      iterations += 1;
      // Yields to the event loop
      if (iterations % 1_000 === 0) await new Promise((next) => setImmediate(next));
      if (iterations === count) resolve(loop);
      return capacity();
    };
    const loop = new PopLoop({ connection, key: 'list', capacity: countedCapacity, deliver: () => undefined });
    loop.start();
  });
}

it('retains no memory of past iterations', async () => {
  const first = await afterIterations(1_000, () => 1);
  await first.stop(connection);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const loop = await afterIterations(10_000, () => 1);
  collectGarbage();
  // A race against one promise of the whole loop would retain about 500 bytes per iteration
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000 * 200);
  await loop.stop(connection);
});

it('stops while it waits for capacity', async () => {
  const loop = await afterIterations(1, () => new Promise<number>(() => undefined));
  await loop.stop(connection);
});
