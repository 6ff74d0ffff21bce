import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, type Tx } from '#persistence';
import { AccessTokenEntity } from '../tokens/access-token.entity.js';
import { nameOfHash } from '../tokens/token.crypto.js';
import type { VerifiedUser } from '../users/verified-user.queries.js';
import { passwordWrong, userNotFound } from '../users/user.errors.js';
import { KeyCipher } from './key.crypto.js';
import { keyScopes, type FreshKey } from './key.rules.js';

/** A user whose password was right a moment ago, or one whom an operator names. */
export type KeyOwner = VerifiedUser | { readonly userName: string };

/** The condition that finds an owner, and its parameters. */
const found = (owner: KeyOwner): readonly [where: string, values: (number | string | null)[]] =>
  'id' in owner
    ? ['users.id = $1 and users.password_hash is not distinct from $2', [owner.id, owner.passwordHash]]
    : ['lower(users.name) = lower($1)', [owner.userName]];

/** An owner that was proven and is not found has changed the password since, or is deleted. */
const notFound = (owner: KeyOwner) => ('id' in owner ? passwordWrong() : userNotFound(owner.userName));

@Injectable()
export class KeyRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: KeyCipher,
  ) {}

  /** Gives a user, who has none at the moment, a personal key. */
  async add(tx: Tx, userId: number, { token, hash }: FreshKey): Promise<void> {
    const encrypted = this.cipher.encrypt(token, userId);
    await tx.insert(AccessTokenEntity, { hash, userId, kind: 'personal', scopes: [...keyScopes], encrypted });
  }

  /** Puts another key in the place of one whose row the transaction has locked. */
  async renew(tx: Tx, old: Buffer, userId: number, { token, hash }: FreshKey): Promise<void> {
    const encrypted = this.cipher.encrypt(token, userId);
    await tx.update(AccessTokenEntity, { hash: old }, { hash, encrypted, createdAt: () => 'now()' });
  }

  /** The personal key of a user, readable. Throws `user.not-found`, `password.wrong`. */
  async show(owner: KeyOwner): Promise<string> {
    const [where, values] = found(owner);
    const [row] = await this.database.query<{ userId: number; encrypted: Buffer }>(
      `select user_id as "userId", encrypted
       from access_tokens join users on users.id = user_id
       where ${where} and kind = 'personal'`,
      values,
    );
    if (!row) throw notFound(owner);
    return this.cipher.decrypt(row.encrypted, row.userId);
  }

  /** Puts another key in the place of the old one, which is dead with the commit. Throws `user.not-found`, `password.wrong`. */
  replace(owner: KeyOwner, key: FreshKey): Promise<void> {
    const [where, values] = found(owner);
    return this.database.transaction(async (tx) => {
      // The lock puts two replacements of one key into an order; without it the later would meet the unique index
      const [user] = await tx.query<{ id: number }[]>(
        `select id from users where ${where} and id > 0 for no key update`,
        values,
      );
      if (!user) throw notFound(owner);
      const [old] = await tx.query<[{ hash: Buffer }[], number]>(
        `delete from access_tokens where user_id = $1 and kind = 'personal' returning hash`,
        [user.id],
      );
      await this.add(tx, user.id, key);
      for (const { hash } of old) await appendEvent(tx, 'token.revoked', { tokenHash: nameOfHash(hash) });
    });
  }
}
