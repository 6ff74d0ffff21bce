import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, type Tx } from '#persistence';
import { AccessTokenEntity } from '../tokens/access-token.entity.js';
import { hashToHex } from '../tokens/token.crypto.js';
import type { VerifiedUser } from '../users/verified-user.queries.js';
import { passwordWrong, userNotFound } from '../users/user.errors.js';
import { KeyCipher } from './key.crypto.js';
import { keyScopes, type NewKey } from './key.rules.js';

/** Owner of a key: a verified user, or the user whose name an operator gives. */
export type KeyOwner = VerifiedUser | { readonly userName: string };

/** Returns the SQL condition that finds an owner, with its parameters. */
const conditionFor = (owner: KeyOwner): readonly [where: string, values: (number | string | null)[]] =>
  'id' in owner
    ? ['users.id = $1 and users.password_hash is not distinct from $2', [owner.id, owner.passwordHash]]
    : ['lower(users.name) = lower($1)', [owner.userName]];

/**
 * Returns the error for an owner who is not found. A verified owner is not found after a change of
 * the password or a deletion.
 */
const notFoundError = (owner: KeyOwner) => ('id' in owner ? passwordWrong() : userNotFound(owner.userName));

@Injectable()
export class KeyRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: KeyCipher,
  ) {}

  /** Stores the personal key of a user who has none. */
  async add(tx: Tx, userId: number, { token, hash }: NewKey): Promise<void> {
    const encrypted = this.cipher.encrypt(token, userId);
    await tx.insert(AccessTokenEntity, { hash, userId, kind: 'personal', scopes: [...keyScopes], encrypted });
  }

  /** Replaces a key whose row the transaction has locked. */
  async replaceInPlace(tx: Tx, old: Buffer, userId: number, { token, hash }: NewKey): Promise<void> {
    const encrypted = this.cipher.encrypt(token, userId);
    await tx.update(AccessTokenEntity, { hash: old }, { hash, encrypted, createdAt: () => 'now()' });
  }

  /**
   * Returns the decrypted personal key of a user.
   *
   * @throws DomainError `user.not-found`, `password.wrong`
   * @throws Error when KEY_ENCRYPTION_SECRET has changed
   */
  async show(owner: KeyOwner): Promise<string> {
    const [where, values] = conditionFor(owner);
    const [row] = await this.database.query<{ userId: number; encrypted: Buffer }>(
      `select user_id as "userId", encrypted
       from access_tokens join users on users.id = user_id
       where ${where} and kind = 'personal'`,
      values,
    );
    if (!row) throw notFoundError(owner);
    return this.cipher.decrypt(row.encrypted, row.userId);
  }

  /**
   * Replaces the personal key; the old one is invalid after the commit.
   *
   * @param respond runs in the transaction; its result is returned
   * @throws DomainError `user.not-found`, `password.wrong`
   */
  replace<Response>(owner: KeyOwner, key: NewKey, respond: (tx: Tx) => Promise<Response>): Promise<Response> {
    const [where, values] = conditionFor(owner);
    return this.database.transaction(async (tx) => {
      // The lock serializes replacements of one key; without the lock the second replacement would
      // violate the unique index
      const [user] = await tx.query<{ id: number }[]>(
        `select id from users where ${where} and id > 0 for no key update`,
        values,
      );
      if (!user) throw notFoundError(owner);
      const [old] = await tx.query<[{ hash: Buffer }[], number]>(
        `delete from access_tokens where user_id = $1 and kind = 'personal' returning hash`,
        [user.id],
      );
      await this.add(tx, user.id, key);
      for (const { hash } of old) await appendEvent(tx, 'token.revoked', { tokenHash: hashToHex(hash) });
      return respond(tx);
    });
  }
}
