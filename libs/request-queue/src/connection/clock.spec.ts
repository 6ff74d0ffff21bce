import { RedisClock } from './clock.js';
import { type QueueConnection } from './connection.js';

describe('RedisClock', () => {
  it('returns the time of Redis independent of the local clock', async () => {
    let local = 5_000_000;
    // Redis is 5 s behind; the second of the three samples has the shortest round trip
    const roundTrips = [80, 2, 40];
    const connection: Pick<QueueConnection, 'run' | 'onReady'> = {
      run: <Result>() => {
        const roundTripMs = roundTrips.shift() ?? 0;
        const redisMs = local + roundTripMs / 2 - 5_000;
        local += roundTripMs;
        return Promise.resolve([Math.floor(redisMs / 1_000), (redisMs % 1_000) * 1_000] as Result);
      },
      onReady: () => undefined,
    };
    const clock = new RedisClock(connection, undefined, () => local);
    expect(clock.isMeasured).toBe(false);
    await clock.measure();
    expect(clock.now()).toBe(local - 5_000);
  });

  it('shares a measurement among concurrent calls, and skips another measurement within 500 ms', async () => {
    let samples = 0;
    const connection: Pick<QueueConnection, 'run' | 'onReady'> = {
      run: <Result>() => Promise.resolve([++samples, 0] as Result),
      onReady: () => undefined,
    };
    const clock = new RedisClock(connection);
    expect(await Promise.all([clock.remeasure(), clock.remeasure(), clock.remeasure()])).toEqual([true, true, true]);
    expect(samples).toBe(3);
    expect([await clock.remeasure(), samples]).toEqual([false, 3]);
  });

  it('is unchanged when Redis is not reachable', async () => {
    const run = () => Promise.reject(new Error('unreachable'));
    const clock = new RedisClock({ run, onReady: () => undefined });
    expect([await clock.remeasure(), clock.isMeasured]).toEqual([false, false]);
  });
});
