import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Introspection } from '#contracts';
import { currentCall, type BroadcastListener, type QueueClients, runInCall } from '#request-queue';
import type { GatewayEnv } from '../../env.js';
import { TokenCache } from './token-cache.js';

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const active = (token: string, expiresAt: string | null = null): Introspection => ({
  active: true,
  userId: 7,
  scopes: ['read'],
  tokenHash: hashOf(token),
  expiresAt,
});

/** An accounts service whose replies the test delays: a real one cannot be stopped between request and reply. */
class DelayedAccounts {
  asked = 0;
  /** Whether the request was aborted when it was sent. */
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
  let accounts: DelayedAccounts;
  let notices: Notices;
  let cache: TokenCache;

  const open = (TOKEN_CACHE_MS: number) => {
    accounts = new DelayedAccounts();
    notices = new Notices();
    cache = new TokenCache(accounts.clients, notices.listener, { TOKEN_CACHE_MS } as GatewayEnv);
    cache.onModuleInit();
  };
  beforeEach(() => open(10_000));

  const load = async (token: string) => {
    const viewer = cache.viewer(token);
    accounts.answer(active(token));
    return viewer;
  };

  it('caches a positive result', async () => {
    expect(await load('a')).toEqual({ userId: 7, scopes: ['read'] });
    expect(await cache.viewer('a')).toEqual({ userId: 7, scopes: ['read'] });
    expect(accounts.asked).toBe(1);
  });

  it('sends one request for concurrent callers', async () => {
    const all = Promise.all([cache.viewer('a'), cache.viewer('a'), cache.viewer('a')]);
    accounts.answer(active('a'));
    expect(await all).toHaveLength(3);
    expect(accounts.asked).toBe(1);
  });

  it('completes for other callers when the first one has given up', async () => {
    const viewer = runInCall({ requestId: 'aborted', signal: AbortSignal.abort() }, () => cache.viewer('a'));
    expect(accounts.abandoned).toBe(false);
    accounts.answer(active('a'));
    expect(await viewer).not.toBeNull();
  });

  it('does not evict a token in use for 10,000 others', async () => {
    await load('hot');
    for (let n = 0; n < 10_000; n += 1) {
      await load(`other-${n}`);
      if (n % 1_000 === 0) await cache.viewer('hot');
    }
    expect(await cache.viewer('hot')).not.toBeNull();
    expect(accounts.asked).toBe(10_001);
  });

  it('never caches a negative result, so that a new token works at once', async () => {
    const first = cache.viewer('a');
    accounts.answer({ active: false });
    expect(await first).toBeNull();
    expect(await load('a')).not.toBeNull();
  });

  it('deletes a token at its revocation, and no other', async () => {
    await load('a');
    await load('b');
    notices.revoked(hashOf('a'));
    expect(await cache.viewer('b')).not.toBeNull();
    void cache.viewer('a');
    expect(accounts.asked).toBe(3);
  });

  it('rejects a token that is revoked during its introspection', async () => {
    const viewer = cache.viewer('a');
    notices.revoked(hashOf('a'));
    accounts.answer(active('a'));
    expect(await viewer).toBeNull();
    void cache.viewer('a');
    expect(accounts.asked).toBe(2);
  });

  it('rejects a token that is revoked during its introspection for all callers that share it', async () => {
    const viewers = [cache.viewer('a'), cache.viewer('a')];
    notices.revoked(hashOf('a'));
    accounts.answer(active('a'));
    expect(await Promise.all(viewers)).toEqual([null, null]);
  });

  it('clears all after a gap in the notifications, introspections in flight included', async () => {
    await load('a');
    const inFlight = cache.viewer('b');
    notices.reconnected();
    accounts.answer(active('b'));
    await inFlight;
    void cache.viewer('a');
    void cache.viewer('b');
    expect(accounts.asked).toBe(4);
  });

  it('introspects again after TOKEN_CACHE_MS', async () => {
    open(0);
    await load('a');
    await load('a');
    expect(accounts.asked).toBe(2);
  });

  it('knows the user of a token after its time, and of no token that was never cached', async () => {
    open(1);
    await load('a');
    await sleep(5);
    expect(cache.cachedUser('Bearer a')).toBe(7);
    expect([cache.cachedUser('Bearer b'), cache.cachedUser('Basic a'), cache.cachedUser(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
