import { Injectable } from '@nestjs/common';
import { isReservedName, type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { freshKey } from '../keys/key.rules.js';
import { checkPassword } from './password.rules.js';
import { hashPassword } from './password.crypto.js';
import { nameReserved } from './user.errors.js';
import { UserRepository } from './user.repository.js';
import { changesNothing } from './user.rules.js';

type Messages = Services['accounts'];

@Injectable()
export class UserService {
  constructor(private readonly users: UserRepository) {}

  /**
   * A new user with a personal API key.
   *
   * @throws DomainError `user.name-reserved`, `user.name-taken`, `user.email-taken`, `password.easy-to-guess`
   */
  async create(request: PayloadOf<Messages, 'users.create'>): Promise<ReplyOf<Messages, 'users.create'>> {
    const { name, email, displayName, password } = request;
    if (isReservedName(name)) throw nameReserved(name);
    checkPassword(password, request);
    const key = freshKey();
    const passwordHash = await hashPassword(password);
    const id = await this.users.create({ name, email, displayName, passwordHash }, key);
    return { id, name, apiKey: key.token };
  }
  /** Changes what the viewer sent and nothing else. Throws `user.not-found` when the viewer has left. */
  async update({ viewerId, ...changes }: PayloadOf<Messages, 'users.update'>): Promise<void> {
    if (!changesNothing(changes)) await this.users.update(viewerId, changes);
  }

  /** Doing it twice changes nothing. */
  markOfficial({ name, official }: PayloadOf<Messages, 'users.mark-official'>): Promise<void> {
    return this.users.markOfficial(name, official);
  }
}
