import { Injectable } from '@nestjs/common';
import type { Scope } from '#contracts';
import { Database } from '#persistence';
import { AccountsEnv } from '../env.js';

interface Row {
  readonly tokenType: 'Bearer' | null;
  readonly userId: number;
  readonly userName: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

const validToken = `
  select t.*, u.name as "userName" from (
    select 'Bearer' as "tokenType", user_id as "userId", scopes, created_at as "createdAt", expires_at as "expiresAt"
    from access_tokens where hash = $1 and application_id = $2
    union all
    select null, user_id, scopes, created_at, expires_at
    from refresh_tokens where hash = $1 and application_id = $2 and used_at is null
  ) t join users u on u.id = t."userId"
  where "expiresAt" is null or "expiresAt" > now()`;

const toUnixSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000);

@Injectable()
export class IntrospectionQueries {
  constructor(
    private readonly database: Database,
    private readonly env: AccountsEnv,
  ) {}

  /**
   * Returns the introspection of an access or refresh token of the application (RFC 7662, section
   * 2.2). Tokens of other applications, and unknown, expired and used tokens are inactive.
   */
  async introspect(hash: Buffer, { applicationId, clientId }: { applicationId: number; clientId: string }) {
    const [row] = await this.database.query<Row>(validToken, [hash, applicationId]);
    if (!row) return { active: false };
    return {
      active: true,
      scope: row.scopes.join(' '),
      client_id: clientId,
      username: row.userName,
      ...(row.tokenType && { token_type: row.tokenType }),
      iat: toUnixSeconds(row.createdAt),
      ...(row.expiresAt && { exp: toUnixSeconds(row.expiresAt) }),
      sub: String(row.userId),
      iss: this.env.BASE_URL,
    };
  }
}
