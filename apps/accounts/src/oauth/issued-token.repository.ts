import { Injectable } from '@nestjs/common';
import { scopes as allScopes, type Scope } from '#contracts';
import { Database, type Tx } from '#persistence';
import { AccountsEnv } from '../env.js';
import { hashToken } from '../tokens/token.crypto.js';
import { deleteAccessTokens, lockFamily, revokeTokens } from '../tokens/token.repository.js';
import { InvalidGrantError } from './oauth.errors.js';

/** Generated tokens, not stored yet. */
interface NewTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly userId: number;
  readonly applicationId: number;
  /** Scopes of the access token. */
  readonly scopes: readonly Scope[];
}

/** Issued tokens. Without a refresh token, the access token is valid until it is revoked. */
interface IssuedTokens {
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly refreshToken: string | null;
  /** Lifetime of the access token in seconds; null without an expiry. */
  readonly expiresIn: number | null;
}

/** Stored refresh token. */
export interface IssuedRefreshToken {
  readonly hash: Buffer;
  readonly codeHash: Buffer;
  readonly userId: number;
  readonly applicationId: number;
  /** Scopes of the token that the application still registers and the user still allows. */
  readonly scopes: Scope[];
  readonly isUsed: boolean;
  readonly isExpired: boolean;
}

/**
 * Maximum number of access tokens of an application for one user, enough for several devices.
 * Without the limit, tokens without an expiry would accumulate. A further token replaces the
 * oldest.
 */
export const maxAccessTokensPerConsent = 20;

const beyondLimit = `hash in (
  select hash from access_tokens where user_id = $1 and application_id = $2
  order by created_at desc, hash offset ${maxAccessTokensPerConsent})`;

// Locks user, application and consent, in this order. A concurrent deletion of one of the three
// rows waits for the commit and then also deletes the new tokens. The lock on the consent
// serializes issuing, so that each transaction counts the tokens of the previous ones
const lockConsent = `
  select c.scopes as allowed, a.scopes as registered
  from users u join applications a on a.id = $2 join consents c on c.user_id = u.id and c.application_id = a.id
  where u.id = $1
  for key share of u, a for no key update of c`;

const familyMember = `
  select from access_tokens where code_hash = $1 and application_id = $2
  union all
  select from refresh_tokens where code_hash = $1 and application_id = $2
  limit 1`;

// `clock_timestamp()` instead of `now()`, which is the start of the transaction: a transaction that
// has waited for another one inserts the newer token
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

  async findRefreshToken(hash: Buffer): Promise<IssuedRefreshToken | undefined> {
    const [token] = await this.database.query<IssuedRefreshToken>(refreshTokenByHash, [hash]);
    return token;
  }

  /**
   * Redeems a code and issues tokens. If the code can no longer be redeemed, the family is revoked:
   * of two requests that redeem a code concurrently, one has stolen the code.
   *
   * @throws InvalidGrantError when the code was redeemed, has expired or was deleted since it was
   *   read, or when the consent was revoked
   */
  async issueForCode(codeHash: Buffer, newTokens: NewTokens): Promise<IssuedTokens> {
    const issued = await this.database.transaction(async (tx) => {
      const scopes = await this.lockConsentedScopes(tx, newTokens);
      await lockFamily(tx, codeHash);
      const [[redeemed]] = await tx.query<[unknown[], number]>(
        `update authorization_codes set redeemed_at = now()
         where hash = $1 and redeemed_at is null and expires_at > now() returning true`,
        [codeHash],
      );
      if (redeemed) return this.issue(tx, codeHash, { ...newTokens, scopes }, newTokens.scopes);
      await revokeTokens(tx, { codeHash });
      return null;
    });
    if (!issued) throw new InvalidGrantError('The code was used more than once.');
    return issued;
  }

  /**
   * Consumes a refresh token and issues tokens. If the token can no longer be consumed, the family
   * is revoked: of two requests that consume a token concurrently, one has stolen the token.
   *
   * @throws InvalidGrantError when the token was consumed or deleted since it was read, or when the
   *   consent was revoked
   */
  async issueForRefreshToken({ hash, codeHash }: IssuedRefreshToken, newTokens: NewTokens): Promise<IssuedTokens> {
    const issued = await this.database.transaction(async (tx) => {
      const scopes = await this.lockConsentedScopes(tx, newTokens);
      await lockFamily(tx, codeHash);
      const [[consumed]] = await tx.query<[{ scopes: Scope[] }[], number]>(
        'update refresh_tokens set used_at = now() where hash = $1 and used_at is null returning scopes',
        [hash],
      );
      // RFC 6749, section 6: the new refresh token has the scopes of the consumed one, even if the
      // access token has fewer
      if (consumed) return this.issue(tx, codeHash, { ...newTokens, scopes }, consumed.scopes);
      await revokeTokens(tx, { codeHash });
      return null;
    });
    if (!issued) throw new InvalidGrantError('The refresh token was used more than once.');
    return issued;
  }

  /**
   * Revokes all tokens of the application that descend from a code, after the code or one of their
   * refresh tokens was sent again. The code itself may have been deleted. An invented code has no
   * tokens, and costs one read.
   */
  async revokeFamily(codeHash: Buffer, applicationId: number): Promise<void> {
    const [member] = await this.database.query(familyMember, [codeHash, applicationId]);
    if (member) await this.database.transaction((tx) => revokeTokens(tx, { codeHash, applicationId }));
  }

  /**
   * Revokes the family of an access or refresh token of the application. Ignores tokens of other
   * applications and personal keys.
   */
  revoke(hash: Buffer, applicationId: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [token] = await tx.query<{ codeHash: Buffer }[]>(
        `select code_hash as "codeHash" from access_tokens where hash = $1 and application_id = $2
         union all
         select code_hash from refresh_tokens where hash = $1 and application_id = $2`,
        [hash, applicationId],
      );
      if (token) await revokeTokens(tx, token);
    });
  }

  /**
   * Locks the consent until the transaction ends, and returns the requested scopes that are still
   * allowed and registered. No transaction may lock these rows after any token.
   *
   * @throws InvalidGrantError when no scope remains
   */
  private async lockConsentedScopes(tx: Tx, { userId, applicationId, scopes: requested }: NewTokens): Promise<Scope[]> {
    const [consent] = await tx.query<{ allowed: Scope[]; registered: Scope[] }[]>(lockConsent, [userId, applicationId]);
    const scopes = allScopes.filter(
      (scope) => requested.includes(scope) && consent?.allowed.includes(scope) && consent.registered.includes(scope),
    );
    if (scopes.length === 0) throw new InvalidGrantError('The grant was revoked.');
    return scopes;
  }

  private async issue(
    tx: Tx,
    codeHash: Buffer,
    { userId, applicationId, accessToken, refreshToken, scopes }: NewTokens,
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
    await deleteAccessTokens(tx, beyondLimit, [userId, applicationId]);
    if (ttl === null) return { scopes, createdAt, refreshToken: null, expiresIn: null };
    return { scopes, createdAt, refreshToken, expiresIn: ttl };
  }
}
