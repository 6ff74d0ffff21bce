import { Injectable } from '@nestjs/common';
import type { Favorite, PayloadOf, Services } from '#contracts';
import { metadataOfCall } from '#events';
import { IdempotencyKeys, type StoreResponse, type StoredResponse } from '#idempotency';
import type { RawReply } from '#request-queue';
import { FavoriteBatcher } from './favorite.batcher.js';
import { FavoriteRepository } from './favorite.repository.js';
import { drawStamp } from './favorite.rules.js';
import { ProductWriteLimiter } from './product-write.limiter.js';

@Injectable()
export class FavoriteService {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly favorites: FavoriteRepository,
    private readonly batcher: FavoriteBatcher,
    private readonly writeLimit: ProductWriteLimiter,
  ) {}

  /**
   * Adds favorites of the viewer to a product that the viewer may see.
   *
   * @returns a FavoriteCreateResponse
   * @throws DomainError product.not-found, service.overloaded, user.not-found for a deleted user
   */
  create(request: PayloadOf<Services['social'], 'favorites.create'>): Promise<RawReply> {
    const { viewerId, productId, anonymous, count, onlyFirst, idempotency } = request;
    const favorite = { userId: viewerId, productId, count, anonymous, stamp: drawStamp(Math.random) };
    const metadata = metadataOfCall();
    if (onlyFirst) {
      const addition = { favorite, storeResponse: undefined, metadata };
      const place = (): Promise<RawReply> => this.favorites.placeFirst(addition);
      return this.writeLimit.run(productId, () => this.batcher.runAlone(productId, place));
    }
    const add = (storeResponse?: StoreResponse): Promise<StoredResponse> =>
      this.batcher.add({ favorite, storeResponse, metadata });
    const write = { viewerId, operation: 'favorites.create', idempotency };
    return this.writeLimit.run(productId, () => (idempotency ? this.keys.once(write, add) : add()));
  }

  /**
   * Withdraws the viewer's favorite of a product, also when the product is no longer visible to the
   * viewer.
   *
   * @returns the favorite as it was
   * @throws DomainError favorite.not-found, service.overloaded
   */
  delete({ viewerId, productId }: PayloadOf<Services['social'], 'favorites.delete'>): Promise<Favorite> {
    const withdraw = (): Promise<Favorite> => this.favorites.withdraw(viewerId, productId);
    return this.writeLimit.run(productId, () => this.batcher.runAlone(productId, withdraw));
  }
}
