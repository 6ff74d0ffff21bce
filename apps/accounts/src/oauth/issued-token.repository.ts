import { Injectable } from '@nestjs/common';
import { scopes as knownScopes, type Scope } from '#contracts';
import { Database, type Tx } from '#persistence';
import { AccountsEnv } from '../env.js';
import { hashToken } from '../tokens/token.crypto.js';
import { endAccessTokens, lockFamily, revokeTokens } from '../tokens/token.repository.js';
import { InvalidGrantError } from './oauth.errors.js';

/** Tokens that were made, and whom and what they are for. */
interface FreshTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly userId: number;
  readonly applicationId: number;
  /** What the access token is to allow. */
  readonly scopes: readonly Scope[];
}

/** Tokens that were given. Without a refresh token the access token lives until it is revoked. */
interface IssuedTokens {
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly refreshToken: string | null;
  /** Seconds. */
  readonly expiresIn: number | null;
}

/** A refresh token as it was given. */
export interface GivenRefreshToken {
  readonly hash: Buffer;
  readonly codeHash: Buffer;
  readonly userId: number;
  readonly applicationId: number;
  /** What is left of its scopes: registered still, and allowed still. */
  readonly scopes: Scope[];
  readonly isUsed: boolean;
  readonly isExpired: boolean;
}

/**
 * How many access tokens an application may have of one user: one for each device and more. Those that live until they are
 * revoked would pile up otherwise. The oldest end when another one is given.
 */
export const accessTokensPerGrant = 20;

const surplus = `hash in (
  select hash from access_tokens where user_id = $1 and application_id = $2
  order by created_at desc, hash offset ${accessTokensPerGrant})`;

// Whoever deletes one of the three waits until the tokens are there, and then finds them; the rows are locked in the order
// of the tables here. The consent lets one give at a time, so that each counts the tokens of the one before
const standing = `
  select c.scopes as allowed, a.scopes as registered
  from users u join applications a on a.id = $2 join consents c on c.user_id = u.id and c.application_id = a.id
  where u.id = $1
  for key share of u, a for no key update of c`;

const fellow = `
  select from access_tokens where code_hash = $1 and application_id = $2
  union all
  select from refresh_tokens where code_hash = $1 and application_id = $2
  limit 1`;

// By the clock and not by the transaction's begin: of those that waited for each other the last one is the newest
const insertAccessToken = `
  insert into access_tokens (user_id, application_id, code_hash, hash, kind, scopes, created_at, expires_at)
  select $1, $2, $3, $4, 'token', $5, now, now + $6 * interval '1 second' from clock_timestamp() as now
  returning created_at as "createdAt"`;

const refreshTokenByHash = `
  select t.hash, code_hash as "codeHash", t.user_id as "userId", t.application_id as "applicationId",
    array(
      select unnest(t.scopes) intersect select unnest(a.scopes) intersect select unnest(c.scopes) order by 1
    ) as scopes,
    used_at is not null as "isUsed", expires_at <= now() as "isExpired"
  from refresh_tokens t
  join applications a on a.id = t.application_id
  left join consents c on c.user_id = t.user_id and c.application_id = t.application_id
  where t.hash = $1`;

@Injectable()
export class IssuedTokenRepository {
  constructor(
    private readonly database: Database,
    private readonly env: AccountsEnv,
  ) {}

  async findRefreshToken(hash: Buffer): Promise<GivenRefreshToken | undefined> {
    const [token] = await this.database.query<GivenRefreshToken>(refreshTokenByHash, [hash]);
    return token;
  }

  /**
   * In place of a code, which is redeemed with it. Throws `InvalidGrantError` when somebody else was faster: one of the two
   * has stolen it, and the family ends.
   */
  async giveForCode(codeHash: Buffer, fresh: FreshTokens): Promise<IssuedTokens> {
    const issued = await this.database.transaction(async (tx) => {
      const scopes = await this.grantable(tx, fresh);
      await lockFamily(tx, codeHash);
      const [[redeemed]] = await tx.query<[unknown[], number]>(
        `update authorization_codes set redeemed_at = now()
         where hash = $1 and redeemed_at is null and expires_at > now() returning true`,
        [codeHash],
      );
      if (redeemed) return this.give(tx, codeHash, { ...fresh, scopes }, fresh.scopes);
      await revokeTokens(tx, { codeHash });
      return null;
    });
    if (!issued) throw new InvalidGrantError('The code was used more than once.');
    return issued;
  }

  /**
   * In place of a refresh token, which is used up with it. Throws `InvalidGrantError` when somebody else was faster: one of
   * the two has stolen it, and the family ends.
   */
  async giveForRefreshToken({ hash, codeHash }: GivenRefreshToken, fresh: FreshTokens): Promise<IssuedTokens> {
    const issued = await this.database.transaction(async (tx) => {
      const scopes = await this.grantable(tx, fresh);
      await lockFamily(tx, codeHash);
      const [[used]] = await tx.query<[{ scopes: Scope[] }[], number]>(
        'update refresh_tokens set used_at = now() where hash = $1 and used_at is null returning scopes',
        [hash],
      );
      // RFC 6749, section 6: the next refresh token allows what this one did, however little was asked for now
      if (used) return this.give(tx, codeHash, { ...fresh, scopes }, used.scopes);
      await revokeTokens(tx, { codeHash });
      return null;
    });
    if (!issued) throw new InvalidGrantError('The refresh token was used more than once.');
    return issued;
  }

  /**
   * A code or a refresh token of the application was brought again: everything that came from the same code ends. The code
   * itself may be gone for long. What is made up has no family, and costs one read.
   */
  async endFamily(codeHash: Buffer, applicationId: number): Promise<void> {
    const [any] = await this.database.query(fellow, [codeHash, applicationId]);
    if (any) await this.database.transaction((tx) => revokeTokens(tx, { codeHash, applicationId }));
  }

  /** Ends the family of an access or refresh token of the application; of no other, and of no personal key. */
  revoke(hash: Buffer, applicationId: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [member] = await tx.query<{ codeHash: Buffer }[]>(
        `select code_hash as "codeHash" from access_tokens where hash = $1 and application_id = $2
         union all
         select code_hash from refresh_tokens where hash = $1 and application_id = $2`,
        [hash, applicationId],
      );
      if (member) await revokeTokens(tx, member);
    });
  }

  /** What may be given of the wanted scopes, until the transaction ends. Nobody may lock these rows after any token. */
  private async grantable(tx: Tx, { userId, applicationId, scopes: wanted }: FreshTokens): Promise<Scope[]> {
    const [stands] = await tx.query<{ allowed: Scope[]; registered: Scope[] }[]>(standing, [userId, applicationId]);
    const scopes = knownScopes.filter(
      (scope) => wanted.includes(scope) && stands?.allowed.includes(scope) && stands.registered.includes(scope),
    );
    if (scopes.length === 0) throw new InvalidGrantError('What was allowed has been taken back.');
    return scopes;
  }

  private async give(
    tx: Tx,
    codeHash: Buffer,
    { userId, applicationId, accessToken, refreshToken, scopes }: FreshTokens,
    refreshScopes: readonly Scope[],
  ): Promise<IssuedTokens> {
    const ttl = this.env.ACCESS_TOKEN_TTL || null;
    const family = [userId, applicationId, codeHash];
    const values = [...family, hashToken(accessToken), scopes, ttl];
    const [{ createdAt }] = await tx.query<[{ createdAt: Date }]>(insertAccessToken, values);
    if (ttl !== null)
      await tx.query(
        `insert into refresh_tokens (user_id, application_id, code_hash, hash, scopes, created_at, expires_at)
         select user_id, application_id, code_hash, $2, $3, created_at, created_at + $4 * interval '1 second'
         from access_tokens where hash = $1`,
        [hashToken(accessToken), hashToken(refreshToken), refreshScopes, this.env.REFRESH_TOKEN_TTL],
      );
    await endAccessTokens(tx, surplus, [userId, applicationId]);
    if (ttl === null) return { scopes, createdAt, refreshToken: null, expiresIn: null };
    return { scopes, createdAt, refreshToken, expiresIn: ttl };
  }
}
