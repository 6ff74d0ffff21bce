import { Injectable } from '@nestjs/common';
import type { Introspection, Scope } from '#contracts';
import { freshToken, hashToken } from './token.crypto.js';
import { TokenQueries } from './token.queries.js';
import { TokenRepository } from './token.repository.js';

@Injectable()
export class TokenService {
  constructor(
    private readonly tokens: TokenRepository,
    private readonly queries: TokenQueries,
  ) {}

  /** What a token allows. That it was used is noted beside, whose failure or delay is nobody's who waits for the answer. */
  async introspect(token: string): Promise<Introspection> {
    const { usedLately, ...introspection } = await this.queries.introspect(token);
    if (introspection.active && !usedLately) void this.tokens.noteUse(introspection.tokenHash).catch(() => undefined);
    return introspection;
  }

  /** A token for a user, to be seen this once. Throws `user.not-found`. */
  async create(userName: string, scopes: readonly Scope[]): Promise<string> {
    const token = freshToken();
    await this.tokens.add(hashToken(token), userName, [...new Set(scopes)].sort());
    return token;
  }

  /** Whether there was such a token, which is given itself or by its name. It is dead when this returns. */
  revoke(it: { token: string } | { tokenHash: string }): Promise<boolean> {
    return this.tokens.revoke('token' in it ? hashToken(it.token) : Buffer.from(it.tokenHash, 'hex'));
  }
}
