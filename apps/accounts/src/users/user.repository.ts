import { Injectable } from '@nestjs/common';
import { isReservedName } from '#contracts';
import { appendEvent } from '#events';
import type { DomainError } from '#kernel';
import { Database, type Tx } from '#persistence';
import { KeyRepository } from '../keys/key.repository.js';
import type { NewKey } from '../keys/key.rules.js';
import { emailTaken, nameReserved, nameTaken, rejectionOf, userNotFound } from './user.errors.js';
import type { UserChanges } from './user.rules.js';

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly displayName: string | null;
  /** Null for users who sign in through a provider only. */
  readonly passwordHash: string | null;
}

// `on conflict do nothing`, because a violated index would be an error in PostgreSQL's log, by
// default with the e-mail address
const insert = `
  insert into users (name, email, display_name, password_hash) values ($1, $2, $3, $4)
  on conflict do nothing
  returning id`;

/**
 * Changes only the fields that were sent; null counts as sent. One statement, so that concurrent
 * changes do not overwrite each other.
 */
const updateProfile = `
  update users set
    display_name = case when sent ? 'displayName' then sent ->> 'displayName' else display_name end,
    avatar_url = case when sent ? 'avatarUrl' then sent ->> 'avatarUrl' else avatar_url end,
    profile = profile || coalesce(sent -> 'profile', '{}'),
    updated_at = now()
  from (select $2::jsonb as sent) as request
  where id = $1 and id > 0
  returning id`;

interface Taken {
  readonly name: boolean;
  readonly email: boolean;
}
type Query = (sql: string, parameters: readonly string[]) => Promise<Taken[]>;

const selectTaken = `
  select exists (select from users where lower(name) = lower($1)) as name,
    exists (select from users where lower(email) = lower($2)) as email`;

const setOfficial = `
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
   * Stores a user and the personal key in one transaction. The unique indexes decide which of
   * several concurrent users gets a name or an e-mail address.
   *
   * @param afterInsert writes more in the same transaction
   * @returns the user's id
   * @throws DomainError `user.name-taken`, `user.email-taken`
   */
  async create(user: NewUser, key: NewKey, afterInsert?: (tx: Tx, userId: number) => Promise<void>): Promise<number> {
    const { name, email, displayName, passwordHash } = user;
    return this.database.transaction(async (tx) => {
      const [created] = await tx.query<{ id: number }[]>(insert, [name, email, displayName, passwordHash]);
      if (!created) {
        const taken = await this.findTaken(user, (sql, parameters) => tx.query<Taken[]>(sql, [...parameters]));
        // The other user may have been deleted since
        throw rejectionOf(taken) ?? nameTaken(name);
      }
      await this.keys.add(tx, created.id, key);
      await appendEvent(tx, 'user.created', { userId: created.id, name });
      await afterInsert?.(tx, created.id);
      return created.id;
    });
  }

  /** Returns the errors of a name that is reserved or taken, and of a taken e-mail address. */
  async findTaken(
    { name, email }: Pick<NewUser, 'name' | 'email'>,
    query: Query = (sql, parameters) => this.database.query<Taken>(sql, parameters),
  ): Promise<{ readonly name: DomainError | undefined; readonly email: DomainError | undefined }> {
    const [taken] = await query(selectTaken, [name, email]);
    const rejectedName = taken!.name ? nameTaken(name) : undefined;
    return {
      name: isReservedName(name) ? nameReserved(name) : rejectedName,
      email: taken!.email ? emailTaken() : undefined,
    };
  }

  /** Changes the profile of a user. Throws `user.not-found`. */
  update(userId: number, changes: UserChanges): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [[changed]] = await tx.query<[{ id: number }[], number]>(updateProfile, [userId, JSON.stringify(changes)]);
      if (!changed) throw userNotFound(userId);
      await appendEvent(tx, 'user.updated', { userId });
    });
  }

  /** Marks or unmarks the named user as official. Ignores unknown names. */
  markOfficial(name: string, official: boolean): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [[changed]] = await tx.query<[{ id: number }[], number]>(setOfficial, [name, official]);
      if (changed) await appendEvent(tx, 'user.updated', { userId: changed.id });
    });
  }
}
