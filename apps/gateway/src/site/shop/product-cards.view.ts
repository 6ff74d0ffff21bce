import { Injectable } from '@nestjs/common';
import type { ItemNames, Product } from '#contracts';
import { DomainError } from '#kernel';
import { Log } from '#observability';
import { QueueClients } from '#request-queue';
import type { PageContext } from '../pages/page-context.js';
import { type Card, ShopView } from './shop.view.js';

/** Lists of products with favorite buttons. */
@Injectable()
export class ProductCards {
  constructor(
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly log: Log,
  ) {}

  /** Returns the cards of at most 50 products for the viewer. */
  async of(context: PageContext, products: readonly Product[], names: ItemNames): Promise<Card[]> {
    const favorites = await this.ownFavorites(context, products);
    return products.map((product) => this.shopView.card(product, names, context.language, favorites.has(product.id)));
  }

  /**
   * Returns the ids of those of the products that are favorites of the signed-in user. Empty for
   * anonymous users, and while the social service is unavailable: the pages are then shown with
   * unpressed buttons.
   */
  async ownFavorites({ user }: PageContext, products: readonly Pick<Product, 'id'>[]): Promise<ReadonlySet<number>> {
    if (!user || products.length === 0) return new Set();
    const productIds = products.map(({ id }) => id);
    try {
      const found = await this.clients.of('social').call('favorites.own', { viewerId: user.id, productIds });
      return new Set(found.productIds);
    } catch (error) {
      if (!(error instanceof DomainError) || error.status < 500) throw error;
      this.log.debug({ err: error }, 'Favorites are unavailable, products shown without them');
      return new Set();
    }
  }
}
