import { Injectable } from '@nestjs/common';
import type { Scope, TokenScope } from '#contracts';
import { appendEvent, appendEvents } from '#events';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { generateKey } from '../keys/key.rules.js';
import { KeyRepository } from '../keys/key.repository.js';
import { userNotFound } from '../users/user.errors.js';
import { AccessTokenEntity, type TokenKind } from './access-token.entity.js';
import { hashToHex } from './token.crypto.js';

/**
 * Selector of tokens: of a user, of an application (all, or those with a scope), of both, or of the
 * family of one code.
 */
export type TokenSelector =
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
 * Locks a token family until the transaction ends, so that no other transaction issues or revokes
 * its tokens. Row locks do not suffice, because the rows that a refresh is about to insert do not
 * exist yet.
 */
export async function lockFamily(tx: Tx, codeHash: Buffer): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [String(codeHash.readBigInt64BE())]);
}

/**
 * Revokes access and refresh tokens in a transaction, and appends `token.revoked` for each access
 * token. A selection by user alone includes the personal key, the other selections do not.
 *
 * The function locks the family of a code. For other selections, callers first lock the rows that
 * the tokens depend on (`select ... for update`, or the deletion of the consent), so that no token
 * is issued concurrently:
 *
 *     await revokeTokens(tx, { userId });                 // then delete the user
 *     await revokeTokens(tx, { applicationId });          // then delete the application
 *     await revokeTokens(tx, { applicationId, userId });  // after the consent was deleted
 *
 * All transactions of this service lock in one order, which excludes deadlocks: the user,
 * applications by id, consents, the family, codes, refresh tokens by hash, access tokens by hash.
 * Locks that are not needed are omitted. Consents are not sorted: of two transactions that delete
 * several of the same consents, one has waited for the other at the row of a user or an application
 * before.
 *
 * @returns the number of revoked access tokens
 */
export async function revokeTokens(tx: Tx, selector: TokenSelector): Promise<number> {
  if ('codeHash' in selector) await lockFamily(tx, selector.codeHash);
  const conditions = (Object.keys(selector) as (keyof typeof columns)[]).map(
    (key, index) => `$${index + 1} = ${columns[key]}`,
  );
  const [where, parameters] = [conditions.join(' and '), Object.values(selector)];
  await tx.query(deleteOf('refresh_tokens', where), parameters);
  return deleteAccessTokens(tx, where, parameters);
}

/**
 * Returns a statement that locks rows in the order of their hashes, and then deletes them. A plain
 * `delete` would lock them in the order in which an index returns them.
 */
const deleteOf = (table: 'access_tokens' | 'refresh_tokens', where: string): string => `
  with chosen as materialized (select hash from ${table} where ${where} order by hash for update)
  delete from ${table} t using chosen where t.hash = chosen.hash`;

/**
 * Deletes the access tokens that a condition selects, and appends `token.revoked` for each.
 *
 * @param where trusted SQL, with the parameters as `$1`, `$2`
 * @returns the number of deleted tokens
 */
export async function deleteAccessTokens(tx: Tx, where: string, parameters: readonly unknown[]): Promise<number> {
  const [deleted] = await tx.query<[{ hash: Buffer }[], number]>(
    `${deleteOf('access_tokens', where)} returning t.hash`,
    [...parameters],
  );
  await appendEvents(
    tx,
    'token.revoked',
    deleted.map(({ hash }) => ({ tokenHash: hashToHex(hash) })),
  );
  return deleted.length;
}

@Injectable()
export class TokenRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRepository,
  ) {}

  /** Stores a token of the named user with one statement. Throws `user.not-found`. */
  async add(hash: Buffer, userName: string, scopes: readonly TokenScope[]): Promise<void> {
    try {
      const added = await this.database.query(
        `insert into access_tokens (hash, user_id, kind, scopes)
         select $1, id, 'token', $3 from users where lower(name) = lower($2) and id > 0
         returning user_id`,
        [hash, userName, scopes],
      );
      if (added.length === 0) throw userNotFound(userName);
    } catch (error) {
      // The user was deleted while the statement ran
      throw violatedConstraint(error) === 'access_tokens_user_id_fkey' ? userNotFound(userName) : error;
    }
  }

  /**
   * Stores the time of use in the token, and in its consent, which outlives the token, at most once
   * a minute.
   */
  async storeUse(tokenHash: string): Promise<void> {
    const [used] = await this.database.query<{ userId: number; applicationId: number | null }>(
      `with used as (
         update access_tokens set last_used_at = now()
         where hash = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')
         returning user_id as "userId", application_id as "applicationId")
       select * from used`,
      [Buffer.from(tokenHash, 'hex')],
    );
    // A separate statement, because a revocation locks the consent before the tokens: the opposite
    // order in one statement could deadlock
    if (used?.applicationId != null)
      await this.database.query('update consents set last_used_at = now() where user_id = $1 and application_id = $2', [
        used.userId,
        used.applicationId,
      ]);
  }

  /**
   * Revokes a token and appends `token.revoked`. A token of an application is revoked with its
   * family, because a refresh token could replace it otherwise. A personal key is replaced by a new
   * key, because every user has a key; the owner can display the new key.
   *
   * @returns false when the token does not exist
   */
  revoke(hash: Buffer): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [family] = await tx.query<{ codeHash: Buffer }[]>(
        'select code_hash as "codeHash" from access_tokens where hash = $1 and code_hash is not null',
        [hash],
      );
      if (family) return (await revokeTokens(tx, family)) > 0;
      const [token] = await tx.query<{ userId: number; kind: TokenKind }[]>(
        'select user_id as "userId", kind from access_tokens where hash = $1 for update',
        [hash],
      );
      if (!token) return false;
      // Updated in place: a concurrent `KeyRepository.replace` that waits for this row then finds
      // the new key instead of none
      if (token.kind === 'personal') await this.keys.replaceInPlace(tx, hash, token.userId, generateKey());
      else await tx.delete(AccessTokenEntity, { hash });
      await appendEvent(tx, 'token.revoked', { tokenHash: hashToHex(hash) });
      return true;
    });
  }
}
