import { Injectable } from '@nestjs/common';
import type { PayloadOf, Services } from '#contracts';
import { QueueClients } from '#request-queue';
import { FavoriteRepository, type PlacedFavorites } from './favorite.repository.js';
import { drawStamp } from './favorite.js';

@Injectable()
export class FavoriteService {
  constructor(
    private readonly clients: QueueClients,
    private readonly favorites: FavoriteRepository,
  ) {}

  /** Adds favorites of the viewer to a product that the viewer may see. Throws `product.not-found`. */
  async create(request: PayloadOf<Services['social'], 'favorites.create'>): Promise<PlacedFavorites> {
    const { viewerId, productId, anonymous, count } = request;
    const product = await this.clients.catalog.call('products.owner', { viewerId, productId });
    return this.favorites.place({ userId: viewerId, product, count, anonymous, stamp: drawStamp(Math.random) });
  }
}
