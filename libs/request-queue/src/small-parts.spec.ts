import { checkHandlers } from './handler-table.js';
import { RedisClock } from './clock.js';
import { type QueueConnection } from './connection.js';
import { currentCall, runInCall } from './current-call.js';
import { QueueKeys } from './keys.js';
import { RetryBudget } from './retry-budget.js';
import { splitIntoCommands } from './split-into-commands.js';

describe('the check of handlers', () => {
  it('accepts exactly the messages of the service', () => {
    expect(() => checkHandlers('activity', ['health.check', 'activities.list', 'activities.unreads'])).not.toThrow();
  });

  it('names each message that is missing, unknown or doubled', () => {
    expect(() =>
      checkHandlers('activity', ['health.check', 'health.check', 'activities.list', 'activities.eat']),
    ).toThrow(
      'activity cannot start: no handler for "activities.unreads"; a handler for "activities.eat", which is not a message ' +
        'of this service; more than one handler for "health.check"',
    );
  });
});

describe('keys', () => {
  const keys = new QueueKeys('p:');

  it('take only reply lists that a client has made', () => {
    expect(keys.isReplyList(keys.replies('material-rendering', '0123456789abcdef'))).toBe(true);
    expect(keys.isReplyList(new QueueKeys().replies('gateway', '0123456789abcdef'))).toBe(false);
    expect(keys.isReplyList(keys.requests('catalog'))).toBe(false);
    expect(keys.isReplyList('p:rq:{gateway-0123456789abcdef}:rx')).toBe(false);
  });

  it('have a channel for each logical database', () => {
    expect(keys.notices(1)).not.toBe(keys.notices(2));
  });
});

describe('a batch', () => {
  it('is split into commands of at most 256 items and 4 MB', () => {
    expect(
      splitIntoCommands(
        Array.from({ length: 600 }, () => 1),
        () => 1,
      ).map(({ length }) => length),
    ).toEqual([256, 256, 88]);
    expect(splitIntoCommands([3, 1, 1, 5, 1], (size) => size * 1024 * 1024)).toEqual([[3, 1], [1], [5], [1]]);
  });
});

describe('the retry budget', () => {
  it('allows ten retries at the start and then one for ten requests', () => {
    const budget = new RetryBudget();
    const spent = () => Array.from({ length: 50 }, () => budget.withdraw()).filter(Boolean).length;
    expect(spent()).toBe(10);
    for (let request = 0; request < 101; request++) budget.deposit();
    expect(spent()).toBe(10);
  });
});

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

describe('the current call', () => {
  it('is known inside only, with its deadline and signal', async () => {
    const giveUp = new AbortController();
    await runInCall({ requestId: 'r1', timeoutMs: 60_000, signal: giveUp.signal }, async () => {
      await Promise.resolve();
      const call = currentCall();
      expect(call?.requestId).toBe('r1');
      expect(call?.remainingMs()).toBeGreaterThan(30_000);
      expect(call?.signal.aborted).toBe(false);
      giveUp.abort();
      expect(call?.signal.aborted).toBe(true);
    });
    expect(currentCall()).toBeUndefined();
  });

  it('aborts its signal at the deadline', async () => {
    await runInCall({ requestId: 'r2', timeoutMs: 10 }, async () => {
      const { signal } = currentCall()!;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      expect(signal.aborted).toBe(true);
    });
  });
});
