import { Injectable } from '@nestjs/common';
import type { Introspection, ReplyOf, TokenScope, Services } from '#contracts';
import { Database } from '#persistence';
import { userNotFound } from '../users/user.errors.js';
import { hashToken, hashToHex } from './token.crypto.js';

type OperatorTokens = ReplyOf<Services['accounts'], 'tokens.list'>;

interface TokenRow {
  userId: number;
  scopes: TokenScope[];
  applicationId: number | null;
  expiresAt: Date | null;
  isRecentlyUsed: boolean;
}

type Row = Omit<OperatorTokens['tokens'][number], 'tokenHash' | 'createdAt' | 'lastUsedAt' | 'expiresAt'> & {
  hash: Buffer;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
};

const tokensOfUser = `
  select hash, kind, t.scopes, a.name as application, t.created_at as "createdAt",
    t.last_used_at as "lastUsedAt", t.expires_at as "expiresAt"
  from users u
  join access_tokens t on t.user_id = u.id
  left join applications a on a.id = t.application_id
  where lower(u.name) = lower($1) and (t.expires_at is null or t.expires_at > now())
  order by t.created_at desc, hash
  limit 200`;

@Injectable()
export class TokenQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns the introspection of a token with one read by primary key. Unknown, revoked and expired
   * tokens are inactive. `isRecentlyUsed` is true if a use was stored within the last minute.
   */
  async introspect(token: string): Promise<Introspection & { isRecentlyUsed?: boolean }> {
    const hash = hashToken(token);
    const [row] = await this.database.read<TokenRow>(
      `select user_id as "userId", scopes, application_id as "applicationId", expires_at as "expiresAt",
         coalesce(last_used_at > now() - interval '1 minute', false) as "isRecentlyUsed"
       from access_tokens where hash = $1 and (expires_at is null or expires_at > now())`,
      [hash],
    );
    if (!row) return { active: false };
    return { active: true, ...row, expiresAt: row.expiresAt?.toISOString() ?? null, tokenHash: hashToHex(hash) };
  }

  /** Returns the newest 200 valid tokens of the named user. Throws `user.not-found`. */
  async list(userName: string): Promise<OperatorTokens> {
    const rows = await this.database.read<Row>(tokensOfUser, [userName]);
    // Every user has a personal key, so there is no row only for an unknown name
    if (rows.length === 0) throw userNotFound(userName);
    const tokens = rows.map(({ hash, ...row }) => ({
      ...row,
      tokenHash: hashToHex(hash),
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
      expiresAt: row.expiresAt?.toISOString() ?? null,
    }));
    return { tokens };
  }
}
