import { Injectable } from '@nestjs/common';
import type { Scope } from '#contracts';
import { freshToken, hashToken } from './token.js';
import { TokenRepository } from './token.repository.js';

@Injectable()
export class TokenService {
  constructor(private readonly tokens: TokenRepository) {}

  /** A token for a user, to be seen this once. Throws `user.not-found`. */
  async create(userName: string, scopes: readonly Scope[]): Promise<string> {
    const token = freshToken();
    await this.tokens.add(hashToken(token), userName, [...new Set(scopes)].sort());
    return token;
  }

  /** Whether there was such a token. It is dead when this returns. */
  revoke(token: string): Promise<boolean> {
    return this.tokens.revoke(hashToken(token));
  }
}
