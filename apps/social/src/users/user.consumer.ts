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
   * Withdraws all favorites of a deleted user, and deletes the user's choices and stored responses.
   * Uses one transaction per favorite, so that no product's counter is locked for long. A retry
   * after an interruption continues with the remaining favorites.
   */
  async deleteUserData({ event, signal }: Delivery<'user.deleted'>): Promise<void> {
    const { userId } = event.payload;
    await this.users.markDeleted(userId);
    const nextProducts = (): Promise<number[]> => this.users.findFavoriteProducts(userId);
    for (let ids = await nextProducts(); ids.length > 0; ids = await nextProducts())
      for (const productId of ids) {
        signal.throwIfAborted();
        await this.favorites.withdraw(userId, productId).catch(ignoreNotFound);
      }
  }
}

/** Ignores favorites already withdrawn by a concurrent request or another delivery of the event. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof DomainError) || error.kind !== problems['favorite.not-found']) throw error;
}
