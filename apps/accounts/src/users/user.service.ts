import { Injectable } from '@nestjs/common';
import type { accountsMessages, PayloadOf, ReplyOf } from '#contracts';
import { freshKey } from '../keys/key.js';
import { hashPassword } from './password.js';
import { nameReserved } from './user.errors.js';
import { UserRepository } from './user.repository.js';
import { isReservedName } from './user.js';

type Messages = typeof accountsMessages;

@Injectable()
export class UserService {
  constructor(private readonly users: UserRepository) {}

  /**
   * A new user with a personal API key.
   *
   * @throws DomainError `user.name-reserved`, `user.name-taken`, `user.email-taken`
   */
  async create(request: PayloadOf<Messages, 'users.create'>): Promise<ReplyOf<Messages, 'users.create'>> {
    const { name, email, displayName, password } = request;
    if (isReservedName(name)) throw nameReserved(name);
    const key = freshKey();
    const passwordHash = await hashPassword(password);
    const id = await this.users.create({ name, email, displayName, passwordHash }, key);
    return { id, name, apiKey: key.token };
  }
}
