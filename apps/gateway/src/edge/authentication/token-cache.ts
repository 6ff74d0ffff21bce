import { createHash, randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Cache, type Loading } from '#cache';
import { BroadcastListener, QueueClients, runInCall } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import type { Viewer } from './viewer.js';

/** Size of about 10,000 tokens. */
const maxBytes = 5 * 1024 ** 2;
const viewerBytes = 100;
const maxTokenLength = 512;
const introspectionTimeoutMs = 5_000;

interface CachedToken {
  readonly viewer: Viewer;
  /** Remaining lifetime of the token in milliseconds. */
  readonly lifetimeMs: number;
}

/**
 * Caches introspection results. Positive results live at most TOKEN_CACHE_MS, never longer than the
 * token, and are deleted when the token is revoked. Negative ones are never cached, so that a new
 * token works immediately. Keys are hashes of tokens; the only token that the cache stores is that
 * of the last request.
 */
@Injectable()
export class TokenCache implements OnModuleInit, OnModuleDestroy {
  private readonly tokens: Cache<CachedToken | null>;
  private last = { token: '', hash: sha256('') };
  private unsubscribe: readonly (() => void)[] = [];

  constructor(
    private readonly clients: QueueClients,
    private readonly broadcasts: BroadcastListener,
    { TOKEN_CACHE_MS }: GatewayEnv,
  ) {
    this.tokens = new Cache({
      name: 'tokens',
      maxBytes,
      bytesOf: () => viewerBytes,
      ttlMs: (token) => (token === null ? 0 : Math.min(TOKEN_CACHE_MS, token.lifetimeMs)),
    });
  }

  onModuleInit(): void {
    this.unsubscribe = [
      this.broadcasts.on('token.revoked', ({ payload }) => this.tokens.delete(payload.tokenHash)),
      // Revocations are missed while disconnected, so clear the cache on reconnect
      this.broadcasts.onGap(() => this.tokens.clear()),
    ];
  }

  onModuleDestroy(): void {
    for (const stop of this.unsubscribe) stop();
  }

  /** Returns the viewer of a token; null if the token is too long, unknown, revoked or expired. */
  async viewer(token: string): Promise<Viewer | null> {
    if (token.length > maxTokenLength) return null;
    const cached = await this.tokens.load(this.hashOf(token), (loading) => this.introspect(token, loading));
    return cached && cached.viewer;
  }

  /**
   * Returns the viewer of a bearer token from the cache, and counts nothing. Undefined if the token
   * must be introspected.
   */
  cachedViewer(authorization: string | undefined): Viewer | undefined {
    // One space, as passport reads it
    const token = /^bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.tokens.peek(this.hashOf(token))?.viewer;
  }

  /** Counts the use of a cached viewer. */
  countHit(): void {
    this.tokens.count('hit');
  }

  /**
   * Returns the user of a bearer token from the cache, even if the entry has expired. Sends no
   * request to accounts.
   */
  cachedUser(authorization: string | undefined): number | undefined {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.tokens.peekExpired(this.hashOf(token))?.viewer.userId;
  }

  /** Memoizes the last hash, because the token of a request is looked up several times in a row. */
  private hashOf(token: string): string {
    if (this.last.token !== token) this.last = { token, hash: sha256(token) };
    return this.last.hash;
  }

  private async introspect(token: string, loading: Loading): Promise<CachedToken | null> {
    // A separate call, which is not aborted with the request of the first caller, because others
    // share the result
    const call = { requestId: randomUUID(), timeoutMs: introspectionTimeoutMs };
    const result = await runInCall(call, () => this.clients.of('accounts').call('tokens.introspect', { token }));
    // A revocation during the introspection takes precedence over its result
    if (!result.active || loading.invalidatedBy === 'delete') return null;
    const { userId, scopes, applicationId, expiresAt } = result;
    return {
      viewer: { userId, scopes, applicationId },
      lifetimeMs: expiresAt === null ? Infinity : Date.parse(expiresAt) - Date.now(),
    };
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
