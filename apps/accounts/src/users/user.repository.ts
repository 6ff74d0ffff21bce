import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, type Tx } from '#persistence';
import { KeyRepository } from '../keys/key.repository.js';
import type { FreshKey } from '../keys/key.rules.js';
import { emailTaken, nameTaken, userNotFound } from './user.errors.js';
import type { UserChanges } from './user.rules.js';

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly displayName: string | null;
  /** Null for those who only sign in through a provider. */
  readonly passwordHash: string | null;
}

// A violated index would be an error in PostgreSQL's log, with the address
const insert = `
  insert into users (name, email, display_name, password_hash) values ($1, $2, $3, $4)
  on conflict do nothing
  returning id`;

/**
 * Only what was sent is changed, and null is something that was sent. One statement, so that of two changes at once
 * neither undoes the other.
 */
const change = `
  update users set
    display_name = case when sent ? 'displayName' then sent ->> 'displayName' else display_name end,
    avatar_url = case when sent ? 'avatarUrl' then sent ->> 'avatarUrl' else avatar_url end,
    profile = profile || coalesce(sent -> 'profile', '{}'),
    updated_at = now()
  from (select $2::jsonb as sent) as request
  where id = $1 and id > 0
  returning id`;

const mark = `
  update users set official = $2, updated_at = now()
  where lower(name) = lower($1) and id > 0 and official <> $2
  returning id`;

@Injectable()
export class UserRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRepository,
  ) {}

  /**
   * The user, the personal key, `user.created` and what else belongs to the beginning, or none of them. The unique indexes
   * decide who gets a name.
   *
   * @param alongWith writes more in the same transaction
   * @returns the user's id
   * @throws DomainError `user.name-taken`, `user.email-taken`
   */
  async create(user: NewUser, key: FreshKey, alongWith?: (tx: Tx, userId: number) => Promise<void>): Promise<number> {
    const { name, email, displayName, passwordHash } = user;
    return this.database.transaction(async (tx) => {
      const [created] = await tx.query<{ id: number }[]>(insert, [name, email, displayName, passwordHash]);
      if (!created) {
        const named = await tx.query<unknown[]>('select from users where lower(name) = lower($1)', [name]);
        throw named.length > 0 ? nameTaken(name) : emailTaken();
      }
      await this.keys.add(tx, created.id, key);
      await appendEvent(tx, 'user.created', { userId: created.id, name });
      await alongWith?.(tx, created.id);
      return created.id;
    });
  }

  /** Changes what a user says of itself, and says `user.updated`. Throws `user.not-found`. */
  update(userId: number, changes: UserChanges): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [[changed]] = await tx.query<[{ id: number }[], number]>(change, [userId, JSON.stringify(changes)]);
      if (!changed) throw userNotFound(userId);
      await appendEvent(tx, 'user.updated', { userId });
    });
  }

  /** Sets or takes away the mark of the named user. Says `user.updated` when that made a difference. */
  markOfficial(name: string, official: boolean): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [[marked]] = await tx.query<[{ id: number }[], number]>(mark, [name, official]);
      if (marked) await appendEvent(tx, 'user.updated', { userId: marked.id });
    });
  }
}
