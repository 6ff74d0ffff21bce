import { createHash } from 'node:crypto';
import type { Introspection } from '#contracts';
import { currentCall, type BroadcastListener, type QueueClients, runInCall } from '#request-queue';
import type { GatewayEnv } from '../../env.js';
import { TokenCache } from './token-cache.js';

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const yes = (token: string, expiresAt: string | null = null): Introspection => ({
  active: true,
  userId: 7,
  scopes: ['read'],
  tokenHash: hashOf(token),
  expiresAt,
});

/** An accounts service whose answers the test holds back: a real one cannot be stopped between question and answer. */
class HeldAccounts {
  asked = 0;
  /** Whether the question would have been given up when it was asked. */
  abandoned = false;
  readonly waiting: ((answer: Introspection) => void)[] = [];
  readonly clients = {
    of: () => ({
      call: () => {
        this.asked += 1;
        this.abandoned = currentCall()?.signal.aborted ?? false;
        return new Promise<Introspection>((resolve) => this.waiting.push(resolve));
      },
    }),
  } as unknown as QueueClients;

  answer(answer: Introspection): void {
    this.waiting.shift()!(answer);
  }
}

class Notices {
  revoked: (tokenHash: string) => void = () => undefined;
  reconnected: () => void = () => undefined;
  readonly listener = {
    on: (_: string, hear: (event: { payload: { tokenHash: string } }) => void) => {
      this.revoked = (tokenHash) => hear({ payload: { tokenHash } });
      return () => undefined;
    },
    onGap: (hear: () => void) => {
      this.reconnected = hear;
      return () => undefined;
    },
  } as unknown as BroadcastListener;
}

describe('TokenCache', () => {
  let accounts: HeldAccounts;
  let notices: Notices;
  let book: TokenCache;

  const open = (TOKEN_CACHE_MS: number) => {
    accounts = new HeldAccounts();
    notices = new Notices();
    book = new TokenCache(accounts.clients, notices.listener, { TOKEN_CACHE_MS } as GatewayEnv);
    book.onModuleInit();
  };
  beforeEach(() => open(10_000));

  const know = async (token: string) => {
    const viewer = book.viewer(token);
    accounts.answer(yes(token));
    return viewer;
  };

  it('asks once and remembers', async () => {
    expect(await know('a')).toEqual({ userId: 7, scopes: ['read'] });
    expect(await book.viewer('a')).toEqual({ userId: 7, scopes: ['read'] });
    expect(accounts.asked).toBe(1);
  });

  it('asks once for many requests that come together', async () => {
    const all = Promise.all([book.viewer('a'), book.viewer('a'), book.viewer('a')]);
    accounts.answer(yes('a'));
    expect(await all).toHaveLength(3);
    expect(accounts.asked).toBe(1);
  });

  it('asks on for the others when the first to ask has gone', async () => {
    const viewer = runInCall({ requestId: 'gone', signal: AbortSignal.abort() }, () => book.viewer('a'));
    expect(accounts.abandoned).toBe(false);
    accounts.answer(yes('a'));
    expect(await viewer).not.toBeNull();
  });

  it('does not evict a token that is in use while 10,000 others come and go', async () => {
    await know('hot');
    for (let n = 0; n < 10_000; n += 1) {
      await know(`other-${n}`);
      if (n % 1_000 === 0) await book.viewer('hot');
    }
    expect(await book.viewer('hot')).not.toBeNull();
    expect(accounts.asked).toBe(10_001);
  });

  it('never remembers a no, so that a new token works at once', async () => {
    const first = book.viewer('a');
    accounts.answer({ active: false });
    expect(await first).toBeNull();
    expect(await know('a')).not.toBeNull();
  });

  it('forgets at a revocation, and only that token', async () => {
    await know('a');
    await know('b');
    notices.revoked(hashOf('a'));
    expect(await book.viewer('b')).not.toBeNull();
    void book.viewer('a');
    expect(accounts.asked).toBe(3);
  });

  it('lets a revocation win over a yes that is still on its way', async () => {
    const viewer = book.viewer('a');
    notices.revoked(hashOf('a'));
    accounts.answer(yes('a'));
    expect(await viewer).toBeNull();
    void book.viewer('a');
    expect(accounts.asked).toBe(2);
  });

  it('lets a revocation win for those too who waited for the same answer', async () => {
    const viewers = [book.viewer('a'), book.viewer('a')];
    notices.revoked(hashOf('a'));
    accounts.answer(yes('a'));
    expect(await Promise.all(viewers)).toEqual([null, null]);
  });

  it('forgets everything after a gap in the notices, questions on their way included', async () => {
    await know('a');
    const underWay = book.viewer('b');
    notices.reconnected();
    accounts.answer(yes('b'));
    await underWay;
    void book.viewer('a');
    void book.viewer('b');
    expect(accounts.asked).toBe(4);
  });

  it('asks again when the time is over', async () => {
    open(0);
    await know('a');
    await know('a');
    expect(accounts.asked).toBe(2);
  });
});
