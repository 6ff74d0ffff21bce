import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { KeyRepository } from '../keys/key.repository.js';
import type { FreshKey } from '../keys/key.js';
import { UserEntity } from './user.entity.js';
import { emailTaken, nameTaken, userNotFound } from './user.errors.js';
import type { UserChanges } from './user.js';

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly displayName: string | null;
  /** Null for those who only sign in through a provider. */
  readonly passwordHash: string | null;
}

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
    try {
      return await this.database.transaction(async (tx) => {
        const { identifiers } = await tx.insert(UserEntity, user);
        const { id: userId } = identifiers[0] as Pick<UserEntity, 'id'>;
        await this.keys.add(tx, userId, key);
        await appendEvent(tx, 'user.created', { userId, name: user.name });
        await alongWith?.(tx, userId);
        return userId;
      });
    } catch (error) {
      throw taken(error, user.name);
    }
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

/** What a write of a user was refused for, in words where it is a name or an address. */
export function taken(error: unknown, name = ''): unknown {
  const constraint = violatedConstraint(error);
  if (constraint === 'users_name_unique') return nameTaken(name);
  if (constraint === 'users_email_unique') return emailTaken();
  return error;
}
