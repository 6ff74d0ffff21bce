import { Injectable } from '@nestjs/common';
import type { KeyOwner } from '#contracts';
import { appendEvent } from '#events';
import { Database, type Tx } from '#persistence';
import { AccessTokenEntity } from '../tokens/access-token.entity.js';
import { nameOfHash } from '../tokens/token.js';
import { userNotFound } from '../users/user.errors.js';
import { KeyCipher } from './key-cipher.js';
import { keyScopes, type FreshKey } from './key.js';

/** The condition that finds an owner, and what stands for `$1` in it. */
const found = (owner: KeyOwner): readonly [where: string, value: number | string] =>
  'userId' in owner ? ['users.id = $1', owner.userId] : ['lower(users.name) = lower($1)', owner.userName];

const notFound = (owner: KeyOwner) => userNotFound('userId' in owner ? owner.userId : owner.userName);

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

  /** The personal key of a user, readable. Throws `user.not-found`. */
  async show(owner: KeyOwner): Promise<string> {
    const [where, value] = found(owner);
    const [row] = await this.database.query<{ userId: number; encrypted: Buffer }>(
      `select user_id as "userId", encrypted
       from access_tokens join users on users.id = user_id
       where ${where} and kind = 'personal'`,
      [value],
    );
    if (!row) throw notFound(owner);
    return this.cipher.decrypt(row.encrypted, row.userId);
  }

  /** Puts another key in the place of the old one, which is dead with the commit. Throws `user.not-found`. */
  replace(owner: KeyOwner, key: FreshKey): Promise<void> {
    const [where, value] = found(owner);
    return this.database.transaction(async (tx) => {
      // The lock puts two replacements of one key into an order; without it the later would meet the unique index
      const [user] = await tx.query<{ id: number }[]>(
        `select id from users where ${where} and id > 0 for no key update`,
        [value],
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
