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
  applicationId: 2,
});

/** Accounts service with delayed replies. A real one cannot be paused between request and reply. */
class DelayedAccounts {
  requestCount = 0;
  /** True if the request was aborted when it was sent. */
  aborted = false;
  readonly waiting: ((result: Introspection) => void)[] = [];
  readonly clients = {
    of: () => ({
      call: () => {
        this.requestCount += 1;
        this.aborted = currentCall()?.signal.aborted ?? false;
        return new Promise<Introspection>((resolve) => this.waiting.push(resolve));
      },
    }),
  } as unknown as QueueClients;

  reply(result: Introspection): void {
    this.waiting.shift()!(result);
  }
}

class FakeBroadcasts {
  revoked: (tokenHash: string) => void = () => undefined;
  reconnected: () => void = () => undefined;
  readonly listener = {
    on: (_: string, handle: (event: { payload: { tokenHash: string } }) => void) => {
      this.revoked = (tokenHash) => handle({ payload: { tokenHash } });
      return () => undefined;
    },
    onGap: (handle: () => void) => {
      this.reconnected = handle;
      return () => undefined;
    },
  } as unknown as BroadcastListener;
}

describe('TokenCache', () => {
  let accounts: DelayedAccounts;
  let broadcasts: FakeBroadcasts;
  let cache: TokenCache;

  const open = (TOKEN_CACHE_MS: number) => {
    accounts = new DelayedAccounts();
    broadcasts = new FakeBroadcasts();
    cache = new TokenCache(accounts.clients, broadcasts.listener, { TOKEN_CACHE_MS } as GatewayEnv);
    cache.onModuleInit();
  };
  beforeEach(() => open(10_000));

  const load = async (token: string) => {
    const viewer = cache.viewer(token);
    accounts.reply(active(token));
    return viewer;
  };

  it('caches a positive result', async () => {
    const viewer = { userId: 7, scopes: ['read'], applicationId: 2 };
    expect(await load('a')).toEqual(viewer);
    expect(await cache.viewer('a')).toEqual(viewer);
    expect(accounts.requestCount).toBe(1);
  });

  it('sends one request for concurrent callers', async () => {
    const all = Promise.all([cache.viewer('a'), cache.viewer('a'), cache.viewer('a')]);
    accounts.reply(active('a'));
    expect(await all).toHaveLength(3);
    expect(accounts.requestCount).toBe(1);
  });

  it('does not abort the introspection if its first caller has disconnected', async () => {
    const viewer = runInCall({ requestId: 'aborted', signal: AbortSignal.abort() }, () => cache.viewer('a'));
    expect(accounts.aborted).toBe(false);
    accounts.reply(active('a'));
    expect(await viewer).not.toBeNull();
  });

  it('does not evict a token in use for 10,000 others', async () => {
    await load('hot');
    for (let n = 0; n < 10_000; n += 1) {
      await load(`other-${n}`);
      if (n % 1_000 === 0) await cache.viewer('hot');
    }
    expect(await cache.viewer('hot')).not.toBeNull();
    expect(accounts.requestCount).toBe(10_001);
  });

  it('never caches a negative result, so that a new token works immediately', async () => {
    const first = cache.viewer('a');
    accounts.reply({ active: false });
    expect(await first).toBeNull();
    expect(await load('a')).not.toBeNull();
  });

  it('deletes a token at its revocation, and no other', async () => {
    await load('a');
    await load('b');
    broadcasts.revoked(hashOf('a'));
    expect(await cache.viewer('b')).not.toBeNull();
    void cache.viewer('a');
    expect(accounts.requestCount).toBe(3);
  });

  it('rejects a token that is revoked during its introspection', async () => {
    const viewer = cache.viewer('a');
    broadcasts.revoked(hashOf('a'));
    accounts.reply(active('a'));
    expect(await viewer).toBeNull();
    void cache.viewer('a');
    expect(accounts.requestCount).toBe(2);
  });

  it('rejects a token that is revoked during its introspection for all callers that share it', async () => {
    const viewers = [cache.viewer('a'), cache.viewer('a')];
    broadcasts.revoked(hashOf('a'));
    accounts.reply(active('a'));
    expect(await Promise.all(viewers)).toEqual([null, null]);
  });

  it('clears all tokens after a reconnect, including introspections in flight', async () => {
    await load('a');
    const inFlight = cache.viewer('b');
    broadcasts.reconnected();
    accounts.reply(active('b'));
    await inFlight;
    void cache.viewer('a');
    void cache.viewer('b');
    expect(accounts.requestCount).toBe(4);
  });

  it('introspects again after TOKEN_CACHE_MS', async () => {
    open(0);
    await load('a');
    await load('a');
    expect(accounts.requestCount).toBe(2);
  });

  it('returns the user of an expired entry, and none for a token that was never cached', async () => {
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
