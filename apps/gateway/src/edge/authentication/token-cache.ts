import { createHash, randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Cache, type Loading } from '#cache';
import { BroadcastListener, QueueClients, runInCall } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import type { Viewer } from './viewer.js';

/** About 10,000 tokens. */
const maxBytes = 5 * 1024 ** 2;
const viewerBytes = 100;
const maxTokenLength = 512;
const introspectionTimeoutMs = 5_000;

interface CachedToken {
  readonly viewer: Viewer;
  /** Milliseconds that the token has left. */
  readonly lifetimeMs: number;
}

/**
 * Caches introspection results. Positive results live at most TOKEN_CACHE_MS, never longer than the token, and are deleted
 * the moment the token is revoked; negative ones are never cached, so that a new token works at once. Memory has hashes, and no
 * token but that of the last request.
 */
@Injectable()
export class TokenCache implements OnModuleInit, OnModuleDestroy {
  private readonly tokens: Cache<CachedToken | null>;
  private last = { token: '', hash: sha256('') };
  private unsubscribe: readonly (() => void)[] = [];

  constructor(
    private readonly clients: QueueClients,
    private readonly notices: BroadcastListener,
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
      this.notices.on('token.revoked', ({ payload }) => this.tokens.delete(payload.tokenHash)),
      // Revocations are missed while disconnected, so clear the cache on reconnect
      this.notices.onGap(() => this.tokens.clear()),
    ];
  }

  onModuleDestroy(): void {
    for (const stop of this.unsubscribe) stop();
  }

  /** The viewer of a token; null if it is unknown, revoked or expired. */
  async viewer(token: string): Promise<Viewer | null> {
    if (token.length > maxTokenLength) return null;
    const cached = await this.tokens.load(this.hashOf(token), (loading) => this.introspect(token, loading));
    return cached && cached.viewer;
  }

  /** The user of the token of a request, if it is or was cached: no request is sent. */
  cachedUser(authorization: string | undefined): number | undefined {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.tokens.peekExpired(this.hashOf(token))?.viewer.userId;
  }

  /** A request's token is looked up three times, one right after the other. */
  private hashOf(token: string): string {
    if (this.last.token !== token) this.last = { token, hash: sha256(token) };
    return this.last.hash;
  }

  private async introspect(token: string, loading: Loading): Promise<CachedToken | null> {
    // In a call of its own: other callers share the result, also if the first one has given up
    const call = { requestId: randomUUID(), timeoutMs: introspectionTimeoutMs };
    const result = await runInCall(call, () => this.clients.of('accounts').call('tokens.introspect', { token }));
    // A revocation during the introspection wins over its result
    if (!result.active || loading.invalidatedBy === 'delete') return null;
    const { userId, scopes, expiresAt } = result;
    return {
      viewer: { userId, scopes },
      lifetimeMs: expiresAt === null ? Infinity : Date.parse(expiresAt) - Date.now(),
    };
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
