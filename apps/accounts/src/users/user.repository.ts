import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, violatedConstraint } from '#persistence';
import { KeyRepository } from '../keys/key.repository.js';
import type { FreshKey } from '../keys/key.js';
import { UserEntity } from './user.entity.js';
import { emailTaken, nameTaken } from './user.errors.js';

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly displayName: string | null;
  readonly passwordHash: string;
}

@Injectable()
export class UserRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRepository,
  ) {}

  /**
   * The user, the personal key and `user.created`, or none of them. The unique indexes decide who gets a name.
   *
   * @returns the user's id
   * @throws DomainError `user.name-taken`, `user.email-taken`
   */
  async create(user: NewUser, key: FreshKey): Promise<number> {
    try {
      return await this.database.transaction(async (tx) => {
        const { identifiers } = await tx.insert(UserEntity, user);
        const { id: userId } = identifiers[0] as Pick<UserEntity, 'id'>;
        await this.keys.add(tx, userId, key);
        await appendEvent(tx, 'user.created', { userId, name: user.name });
        return userId;
      });
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint === 'users_name_unique') throw nameTaken(user.name);
      if (constraint === 'users_email_unique') throw emailTaken();
      throw error;
    }
  }
}
