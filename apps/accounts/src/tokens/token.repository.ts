import { Injectable } from '@nestjs/common';
import type { Scope } from '#contracts';
import { appendEvent } from '#events';
import { Database } from '#persistence';
import { freshKey } from '../keys/key.js';
import { KeyRepository } from '../keys/key.repository.js';
import { userNotFound } from '../users/user.errors.js';
import { AccessTokenEntity, type TokenKind } from './access-token.entity.js';
import { nameOfHash } from './token.js';

@Injectable()
export class TokenRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRepository,
  ) {}

  /** Stores a token of the named user, found and written in one statement. Throws `user.not-found`. */
  async add(hash: Buffer, userName: string, scopes: readonly Scope[]): Promise<void> {
    const added = await this.database.query(
      `insert into access_tokens (hash, user_id, kind, scopes)
       select $1, id, 'token', $3 from users where lower(name) = lower($2) and id > 0
       returning user_id`,
      [hash, userName, scopes],
    );
    if (added.length === 0) throw userNotFound(userName);
  }

  /**
   * Ends a token and says so. A user always has a personal key: when that is what was revoked, a fresh one takes its
   * place, unseen until its owner looks at it.
   *
   * @returns false when there was no such token
   */
  revoke(hash: Buffer): Promise<boolean> {
    return this.database.transaction(async (tx) => {
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
