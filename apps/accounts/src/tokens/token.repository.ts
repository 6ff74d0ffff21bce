import { Injectable } from '@nestjs/common';
import type { Scope } from '#contracts';
import { appendEvent, appendEvents } from '#events';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { freshKey } from '../keys/key.rules.js';
import { KeyRepository } from '../keys/key.repository.js';
import { userNotFound } from '../users/user.errors.js';
import { AccessTokenEntity, type TokenKind } from './access-token.entity.js';
import { nameOfHash } from './token.crypto.js';

/** Whose tokens end: a user's, an application's (all, or those with a scope), both's, or the family that one code began. */
export type TokensOf =
  | { readonly userId: number }
  | { readonly applicationId: number }
  | { readonly applicationId: number; readonly userId: number }
  | { readonly applicationId: number; readonly scope: Scope }
  | { readonly codeHash: Buffer; readonly applicationId?: number };

const columns = {
  userId: 'user_id',
  applicationId: 'application_id',
  scope: 'any (scopes)',
  codeHash: 'code_hash',
} as const;

/**
 * Until the transaction ends, nobody else gives or revokes a token of the family. Rows could not be locked for that: those
 * that a refresh is about to add are not there yet.
 */
export async function lockFamily(tx: Tx, codeHash: Buffer): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [String(codeHash.readBigInt64BE())]);
}

/**
 * Ends access and refresh tokens within a transaction, and says `token.revoked` of each access token. A user's own are all
 * of them, the personal key too; what is chosen by application or by code is never a personal key.
 *
 * Whoever ends what tokens rest on locks it first (`select ... for update`, or deletes the consent), so that none is given
 * at the same time:
 *
 *     await revokeTokens(tx, { userId });                 // then delete the user
 *     await revokeTokens(tx, { applicationId });          // then delete the application
 *     await revokeTokens(tx, { applicationId, userId });  // after the consent was deleted
 *
 * All transactions of this service lock in one order, so that none waits for another in a circle: the user, applications
 * by id, consents, codes, the family, refresh tokens by hash, access tokens by hash. What is not needed is left out. Two
 * that end tokens of several users or applications meet at the rows of the applications, before they come to any consent.
 *
 * @returns how many access tokens have ended
 */
export async function revokeTokens(tx: Tx, of: TokensOf): Promise<number> {
  if ('codeHash' in of) await lockFamily(tx, of.codeHash);
  const chosen = (Object.keys(of) as (keyof typeof columns)[]).map((key, index) => `$${index + 1} = ${columns[key]}`);
  const [where, parameters] = [chosen.join(' and '), Object.values(of)];
  await tx.query(deleteOf('refresh_tokens', where), parameters);
  return endAccessTokens(tx, where, parameters);
}

/** Deletes the chosen rows, locked by hash: a plain delete locks in the order in which an index happens to give them. */
const deleteOf = (table: 'access_tokens' | 'refresh_tokens', where: string): string => `
  with chosen as materialized (select hash from ${table} where ${where} order by hash for update)
  delete from ${table} t using chosen where t.hash = chosen.hash`;

/**
 * Ends the access tokens that a condition chooses, and says so of each.
 *
 * @param where of this code, with the parameters as `$1`, `$2`
 * @returns how many
 */
export async function endAccessTokens(tx: Tx, where: string, parameters: readonly unknown[]): Promise<number> {
  const [ended] = await tx.query<[{ hash: Buffer }[], number]>(`${deleteOf('access_tokens', where)} returning t.hash`, [
    ...parameters,
  ]);
  await appendEvents(
    tx,
    'token.revoked',
    ended.map(({ hash }) => ({ tokenHash: nameOfHash(hash) })),
  );
  return ended.length;
}

@Injectable()
export class TokenRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRepository,
  ) {}

  /** Stores a token of the named user, found and written in one statement. Throws `user.not-found`. */
  async add(hash: Buffer, userName: string, scopes: readonly Scope[]): Promise<void> {
    try {
      const added = await this.database.query(
        `insert into access_tokens (hash, user_id, kind, scopes)
         select $1, id, 'token', $3 from users where lower(name) = lower($2) and id > 0
         returning user_id`,
        [hash, userName, scopes],
      );
      if (added.length === 0) throw userNotFound(userName);
    } catch (error) {
      // The user was there when the statement began, and has left since
      throw violatedConstraint(error) === 'access_tokens_user_id_fkey' ? userNotFound(userName) : error;
    }
  }

  /** Notes that a token is in use, and with it what was allowed, which outlives the token. At most once a minute. */
  async noteUse(tokenHash: string): Promise<void> {
    const [used] = await this.database.query<{ userId: number; applicationId: number | null }>(
      `with used as (
         update access_tokens set last_used_at = now()
         where hash = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')
         returning user_id as "userId", application_id as "applicationId")
       select * from used`,
      [Buffer.from(tokenHash, 'hex')],
    );
    // A statement of its own: whoever takes a consent back locks it before the tokens
    if (used?.applicationId != null)
      await this.database.query('update consents set last_used_at = now() where user_id = $1 and application_id = $2', [
        used.userId,
        used.applicationId,
      ]);
  }

  /**
   * Ends a token and says so; with a token of an application its family ends, or the next refresh would bring it back. A
   * user always has a personal key: when that is what was revoked, a fresh one takes its place, unseen until its owner
   * looks at it.
   *
   * @returns false when there was no such token
   */
  revoke(hash: Buffer): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [member] = await tx.query<{ codeHash: Buffer }[]>(
        'select code_hash as "codeHash" from access_tokens where hash = $1 and code_hash is not null',
        [hash],
      );
      if (member) return (await revokeTokens(tx, member)) > 0;
      const [token] = await tx.query<{ userId: number; kind: TokenKind }[]>(
        'select user_id as "userId", kind from access_tokens where hash = $1 for update',
        [hash],
      );
      if (!token) return false;
      // Changed in place: a replacement that waits for this row then finds the fresh key instead of none
      if (token.kind === 'personal') await this.keys.renew(tx, hash, token.userId, freshKey());
      else await tx.delete(AccessTokenEntity, { hash });
      await appendEvent(tx, 'token.revoked', { tokenHash: nameOfHash(hash) });
      return true;
    });
  }
}
