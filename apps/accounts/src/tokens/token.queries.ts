import { Injectable } from '@nestjs/common';
import type { Introspection, Scope } from '#contracts';
import { Database } from '#persistence';
import { hashToken, nameOfHash } from './token.js';

@Injectable()
export class TokenQueries {
  constructor(private readonly database: Database) {}

  /** What a token allows: one read by primary key. A token that was revoked is gone. */
  async introspect(token: string): Promise<Introspection> {
    const hash = hashToken(token);
    const [row] = await this.database.query<{ userId: number; scopes: Scope[] }>(
      'select user_id as "userId", scopes from access_tokens where hash = $1',
      [hash],
    );
    return row ? { active: true, ...row, tokenHash: nameOfHash(hash) } : { active: false };
  }
}
