import { Injectable } from '@nestjs/common';
import type { Favorite, PayloadOf, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { QueueClients, RawReply } from '#request-queue';
import { FavoriteRepository } from './favorite.repository.js';
import { drawStamp } from './favorite.js';

@Injectable()
export class FavoriteService {
  constructor(
    private readonly clients: QueueClients,
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
    return this.keys.once({ viewerId, operation: 'favorites.create', idempotency }, async (keep) => {
      const product = await this.clients.catalog.call('products.owner', { viewerId, productId });
      const favorite = { userId: viewerId, product, count, anonymous, stamp: drawStamp(Math.random) };
      return this.favorites.place(favorite, (tx, placed) =>
        keep(tx, RawReply.json(JSON.stringify(placed), { status: 201 })),
      );
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
