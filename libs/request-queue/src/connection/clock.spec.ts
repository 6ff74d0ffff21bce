import { RedisClock } from './clock.js';
import { type QueueConnection } from './connection.js';

describe('the clock', () => {
  it('shows the time of Redis whatever the own clock says', async () => {
    let local = 5_000_000;
    // Redis is 5 s behind; the second of the three samples has the shortest way
    const ways = [80, 2, 40];
    const connection: Pick<QueueConnection, 'run' | 'onReady'> = {
      run: <Result>() => {
        const way = ways.shift() ?? 0;
        const redisMs = local + way / 2 - 5_000;
        local += way;
        return Promise.resolve([Math.floor(redisMs / 1_000), (redisMs % 1_000) * 1_000] as Result);
      },
      onReady: () => undefined,
    };
    const clock = new RedisClock(connection, undefined, () => local);
    expect(clock.measured).toBe(false);
    await clock.measure();
    expect(clock.now()).toBe(local - 5_000);
  });

  it('is measured once for all who find deadlines that do not fit, and not again at once', async () => {
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

  it('stays as it was when Redis is not reached', async () => {
    const run = () => Promise.reject(new Error('away'));
    const clock = new RedisClock({ run, onReady: () => undefined });
    expect([await clock.remeasure(), clock.measured]).toEqual([false, false]);
  });
});
