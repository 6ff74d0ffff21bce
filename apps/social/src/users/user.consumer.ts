import { Injectable } from '@nestjs/common';
import { problems } from '#contracts';
import type { Delivery } from '#events';
import { DomainError } from '#kernel';
import { FavoriteRepository } from '../favorites/favorite.repository.js';
import { UserRepository } from './user.repository.js';

@Injectable()
export class UserConsumer {
  constructor(
    private readonly users: UserRepository,
    private readonly favorites: FavoriteRepository,
  ) {}

  /**
   * Takes back everything that a user who has gone has said of products. One transaction per favorite, so that no
   * product's counter is locked for long; whatever was done before an interruption is not found again.
   */
  async forget({ event, signal }: Delivery<'user.deleted'>): Promise<void> {
    const { userId } = event.payload;
    await this.users.dismiss(userId);
    for (let ids = await this.users.someFavored(userId); ids.length > 0; ids = await this.users.someFavored(userId))
      for (const productId of ids) {
        signal.throwIfAborted();
        await this.favorites.withdraw(userId, productId).catch(goneBefore);
      }
  }
}

/** By a request that was under way, or by another delivery of the same event. */
function goneBefore(error: unknown): void {
  if (!(error instanceof DomainError) || error.kind !== problems['favorite.not-found']) throw error;
}
