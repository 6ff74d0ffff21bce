import { Injectable } from '@nestjs/common';
import { type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { QueueClients } from '#request-queue';
import { ItemCache } from '../items/item.cache.js';
import { PrintedProductQueries } from '../print-files/printed-product.queries.js';
import { preflightOf, preflightRequestOf } from './preflight.rules.js';

type Catalog = Services['catalog'];

/** Preflight of products: material-rendering measures the prints, this service reports on them. */
@Injectable()
export class PreflightService {
  constructor(
    private readonly catalog: ItemCache,
    private readonly clients: QueueClients,
    private readonly products: PrintedProductQueries,
  ) {}

  /**
   * @throws DomainError product.not-found, product.not-owned, and the errors of material-rendering
   */
  async get({
    viewerId,
    productId,
    language,
  }: PayloadOf<Catalog, 'preflight.get'>): Promise<ReplyOf<Catalog, 'preflight.get'>> {
    const product = await this.products.ofOwner(viewerId, productId);
    const catalog = await this.catalog.current();
    const request = preflightRequestOf(product, catalog);
    const { places } = await this.clients.of('material-rendering').call('preflight.measure', request);
    return { preflight: preflightOf(productId, catalog.item(product.itemId)!, places, language) };
  }
}
