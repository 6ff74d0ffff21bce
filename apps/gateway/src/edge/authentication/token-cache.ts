import { createHash, randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Introspection } from '#contracts';
import { BroadcastListener, QueueClients, runInCall } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import type { Viewer } from './viewer.js';

const maximumEntries = 10_000;
const longestToken = 512;
const askWithinMs = 5_000;

/** A question under way. A revocation that arrives meanwhile wins over its answer. */
class Lookup {
  answer: Promise<Viewer | null> = Promise.resolve(null);
  isRevoked = false;
  /** False when something was said meanwhile that the answer may not know: it is given, but not remembered. */
  isCurrent = true;
}

/**
 * Who a token stands for. A yes is kept in memory for at most TOKEN_CACHE_MS, never longer than the token lives, and
 * forgotten the moment the token is revoked; a no is never kept, so that a new token works at once. Memory holds hashes, and no token but that of
 * the last request.
 */
@Injectable()
export class TokenCache implements OnModuleInit, OnModuleDestroy {
  private readonly known = new LRUCache<string, { viewer: Viewer; until: number }>({ max: maximumEntries });
  private readonly lookups = new Map<string, Lookup>();
  private last = { token: '', hash: sha256('') };
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly clients: QueueClients,
    private readonly notices: BroadcastListener,
    private readonly env: GatewayEnv,
  ) {}

  onModuleInit(): void {
    const stopNotices = this.notices.on('token.revoked', ({ payload }) => this.forget(payload.tokenHash));
    // Revocations of a gap are lost, so nothing that was known before it may be believed
    const stopGaps = this.notices.onGap(() => this.forgetAll());
    this.unsubscribe = () => {
      stopNotices();
      stopGaps();
    };
  }

  onModuleDestroy(): void {
    this.unsubscribe?.();
  }

  /** The viewer of a token, or null when it is unknown, revoked or expired. */
  viewer(token: string): Promise<Viewer | null> {
    if (token.length > longestToken) return Promise.resolve(null);
    const hash = this.hashOf(token);
    const entry = this.known.get(hash);
    if (entry && entry.until > Date.now()) return Promise.resolve(entry.viewer);
    let lookup = this.lookups.get(hash);
    if (!lookup) {
      lookup = new Lookup();
      this.lookups.set(hash, lookup);
      lookup.answer = this.lookUp(hash, token, lookup);
    }
    return lookup.answer;
  }

  /** Whose token a request carries, when that is in memory: nobody is asked. */
  knownUser(authorization: string | undefined): number | undefined {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.known.peek(this.hashOf(token))?.viewer.userId;
  }

  /** A request's token is looked up three times on its way, one right after the other. */
  private hashOf(token: string): string {
    if (this.last.token !== token) this.last = { token, hash: sha256(token) };
    return this.last.hash;
  }

  private async lookUp(hash: string, token: string, lookup: Lookup): Promise<Viewer | null> {
    try {
      const answer = await this.ask(token);
      if (!answer.active || lookup.isRevoked) return null;
      const viewer = { userId: answer.userId, scopes: answer.scopes };
      if (lookup.isCurrent) this.remember(hash, viewer, answer.expiresAt);
      return viewer;
    } finally {
      if (this.lookups.get(hash) === lookup) this.lookups.delete(hash);
    }
  }

  private ask(token: string): Promise<Introspection> {
    // In a call of its own: others wait for this answer too, and must not suffer when the first to ask has gone
    const call = { requestId: randomUUID(), timeoutMs: askWithinMs };
    return runInCall(call, () => this.clients.of('accounts').call('tokens.introspect', { token }));
  }

  private remember(hash: string, viewer: Viewer, expiresAt: string | null): void {
    const end = expiresAt === null ? Infinity : Date.parse(expiresAt);
    this.known.set(hash, { viewer, until: Math.min(Date.now() + this.env.TOKEN_CACHE_MS, end) });
  }

  private forget(hash: string): void {
    this.known.delete(hash);
    const lookup = this.lookups.get(hash);
    if (lookup) Object.assign(lookup, { isRevoked: true, isCurrent: false });
  }

  private forgetAll(): void {
    this.known.clear();
    for (const lookup of this.lookups.values()) lookup.isCurrent = false;
    this.lookups.clear();
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
