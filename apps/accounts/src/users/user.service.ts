import { Injectable } from '@nestjs/common';
import { isReservedName, type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { generateKey } from '../keys/key.rules.js';
import { assertPasswordStrength } from './password.rules.js';
import { hashPassword } from './password.crypto.js';
import { nameReserved } from './user.errors.js';
import { UserRepository } from './user.repository.js';
import { isEmptyUpdate } from './user.rules.js';

type Messages = Services['accounts'];

@Injectable()
export class UserService {
  constructor(private readonly users: UserRepository) {}

  /**
   * Creates a user with a personal API key.
   *
   * @throws DomainError `user.name-reserved`, `user.name-taken`, `user.email-taken`,
   *   `password.easy-to-guess`
   */
  async create(request: PayloadOf<Messages, 'users.create'>): Promise<ReplyOf<Messages, 'users.create'>> {
    const { name, email, displayName, password } = request;
    if (isReservedName(name)) throw nameReserved(name);
    assertPasswordStrength(password, request);
    const key = generateKey();
    const passwordHash = await hashPassword(password);
    const id = await this.users.create({ name, email, displayName, passwordHash }, key);
    return { id, name, apiKey: key.token };
  }
  /**
   * Changes only the fields that the viewer sent; without any field, does nothing. Throws
   * `user.not-found` when the viewer is deleted.
   */
  async update({ viewerId, ...changes }: PayloadOf<Messages, 'users.update'>): Promise<void> {
    if (!isEmptyUpdate(changes)) await this.users.update(viewerId, changes);
  }

  /** Marks or unmarks a user as official. Idempotent. Ignores unknown names. */
  markOfficial({ name, official }: PayloadOf<Messages, 'users.mark-official'>): Promise<void> {
    return this.users.markOfficial(name, official);
  }
}
