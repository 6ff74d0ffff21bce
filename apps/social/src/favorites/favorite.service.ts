import { Injectable } from '@nestjs/common';
import type { Favorite, PayloadOf, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { RawReply } from '#request-queue';
import { FavoriteRepository } from './favorite.repository.js';
import { drawStamp } from './favorite.js';

@Injectable()
export class FavoriteService {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly favorites: FavoriteRepository,
  ) {}

  /**
   * Adds favorites of the viewer to a product that the viewer may see.
   *
   * @returns a FavoriteCreateResponse
   * @throws DomainError product.not-found
   */
  create(request: PayloadOf<Services['social'], 'favorites.create'>): Promise<RawReply> {
    const { viewerId, productId, anonymous, count, idempotency } = request;
    return this.keys.onceByStatement({ viewerId, operation: 'favorites.create', idempotency }, async (run) => {
      const favorite = { userId: viewerId, productId, count, anonymous, stamp: drawStamp(Math.random) };
      return RawReply.json(JSON.stringify(await this.favorites.place(run, favorite)), { status: 201 });
    });
  }

  /**
   * Withdraws the viewer's favorite of a product; one may withdraw it although the product is no longer shown.
   *
   * @returns the favorite as it was
   * @throws DomainError favorite.not-found
   */
  delete({ viewerId, productId }: PayloadOf<Services['social'], 'favorites.delete'>): Promise<Favorite> {
    return this.favorites.withdraw(viewerId, productId);
  }
}
