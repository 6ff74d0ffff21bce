import { Injectable } from '@nestjs/common';
import type { Favorite, PayloadOf, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { RawReply } from '#request-queue';
import { FavoriteRepository } from './favorite.repository.js';
import { drawStamp } from './favorite.js';
import { ProductWriteLimit } from './product-write-limit.js';

@Injectable()
export class FavoriteService {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly favorites: FavoriteRepository,
    private readonly limit: ProductWriteLimit,
  ) {}

  /**
   * Adds favorites of the viewer to a product that the viewer may see.
   *
   * @returns a FavoriteCreateResponse
   * @throws DomainError product.not-found, service.overloaded
   */
  create(request: PayloadOf<Services['social'], 'favorites.create'>): Promise<RawReply> {
    const { viewerId, productId, anonymous, count, idempotency } = request;
    const write = { viewerId, operation: 'favorites.create', idempotency };
    // Outside of the transaction that an idempotency key opens: a waiting write has no connection
    return this.limit.run(productId, () =>
      this.keys.onceByStatement(write, async (run) => {
        const favorite = { userId: viewerId, productId, count, anonymous, stamp: drawStamp(Math.random) };
        return RawReply.json(JSON.stringify(await this.favorites.place(run, favorite)), { status: 201 });
      }),
    );
  }

  /**
   * Withdraws the viewer's favorite of a product; one may withdraw it although the product is no longer shown.
   *
   * @returns the favorite as it was
   * @throws DomainError favorite.not-found, service.overloaded
   */
  delete({ viewerId, productId }: PayloadOf<Services['social'], 'favorites.delete'>): Promise<Favorite> {
    return this.limit.run(productId, () => this.favorites.withdraw(viewerId, productId));
  }
}
