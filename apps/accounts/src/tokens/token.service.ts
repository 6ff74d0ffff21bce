import { Injectable } from '@nestjs/common';
import type { Introspection, TokenScope } from '#contracts';
import { generateToken, hashToken } from './token.crypto.js';
import { TokenQueries } from './token.queries.js';
import { TokenRepository } from './token.repository.js';

@Injectable()
export class TokenService {
  constructor(
    private readonly tokens: TokenRepository,
    private readonly queries: TokenQueries,
  ) {}

  /**
   * Returns the introspection of a token. The use is stored in the background: a failure or delay
   * does not affect the reply.
   */
  async introspect(token: string): Promise<Introspection> {
    const { isRecentlyUsed, ...introspection } = await this.queries.introspect(token);
    if (introspection.active && !isRecentlyUsed)
      void this.tokens.storeUse(introspection.tokenHash).catch(() => undefined);
    return introspection;
  }

  /**
   * Creates a token of a user and returns the token, which cannot be displayed again. Throws
   * `user.not-found`.
   */
  async create(userName: string, scopes: readonly TokenScope[]): Promise<string> {
    const token = generateToken();
    await this.tokens.add(hashToken(token), userName, [...new Set(scopes)].sort());
    return token;
  }

  /**
   * Revokes a token, given by value or by hash.
   *
   * @returns false when the token does not exist
   */
  revoke(selector: { token: string } | { tokenHash: string }): Promise<boolean> {
    return this.tokens.revoke('token' in selector ? hashToken(selector.token) : Buffer.from(selector.tokenHash, 'hex'));
  }
}
