import { collectGarbage } from '#testing';
import type { QueueConnection } from './connection.js';
import { PopLoop } from './pop-loop.js';

/** A list that has nothing, and says so at once: rounds cost next to nothing. */
const redis = {
  stream: {},
  client: () => Promise.resolve(7),
  blmpopBuffer: () => Promise.resolve(null),
};
const connection = {
  ready: true,
  redis,
  run: (send: (it: typeof redis) => Promise<unknown>) => send(redis),
} as unknown as QueueConnection;

/** Resolves after so many rounds with the loop, which goes on. */
function afterRounds(most: number, room: () => number | Promise<number>): Promise<PopLoop> {
  return new Promise((resolve) => {
    let rounds = 0;
    const counted = async () => {
      rounds += 1;
      // The event loop is not to be kept from everything else
      if (rounds % 1_000 === 0) await new Promise((next) => setImmediate(next));
      if (rounds === most) resolve(loop);
      return room();
    };
    const loop = new PopLoop({ connection, key: 'list', room: counted, deliver: () => undefined });
    loop.start();
  });
}

it('holds nothing of the rounds that are over', async () => {
  const first = await afterRounds(1_000, () => 1);
  await first.stop(connection);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const loop = await afterRounds(10_000, () => 1);
  collectGarbage();
  // Half of it would be a promise for each round
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000 * 200);
  await loop.stop(connection);
});

it('stops while it waits for room', async () => {
  const loop = await afterRounds(1, () => new Promise<number>(() => undefined));
  await loop.stop(connection);
});
