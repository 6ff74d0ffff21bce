import { Injectable } from '@nestjs/common';
import { type PayloadOf, type ReplyOf, type Sale, type Services } from '#contracts';
import { ProductFactsQueries } from '../products/product-facts.queries.js';
import { userNotFound } from '../users/user.errors.js';
import { SaleCache } from './sale.cache.js';
import { SaleQueries } from './sale.queries.js';
import { SaleRepository } from './sale.repository.js';

type Catalog = Services['catalog'];

/** Use cases of sales, for operators and order systems. */
@Injectable()
export class SaleService {
  constructor(
    private readonly sales: SaleRepository,
    private readonly queries: SaleQueries,
    private readonly cache: SaleCache,
    private readonly products: ProductFactsQueries,
  ) {}

  /**
   * Creates a sale.
   *
   * @throws DomainError item.not-found, user.not-found, product.not-found, sale.invalid
   */
  async create({ name, target, discount, ...times }: PayloadOf<Catalog, 'sales.create'>): Promise<Sale> {
    const saleId = await this.sales.create({
      name,
      itemId: target.kind === 'item' ? target.itemId : null,
      userId: target.kind === 'user' ? await this.userId(target.userName) : null,
      productId: target.kind === 'product' ? target.productId : null,
      discount,
      startsAt: dateOf(times.startsAt),
      endsAt: dateOf(times.endsAt),
    });
    return this.invalidateAndRead(saleId);
  }

  /**
   * Ends a sale now. Idempotent.
   *
   * @throws DomainError sale.not-found
   */
  async end(saleId: number): Promise<Sale> {
    await this.sales.end(saleId);
    return this.invalidateAndRead(saleId);
  }

  /**
   * Appends `sale.recorded` for a purchase, so that the owner of the product is notified.
   *
   * @throws DomainError product.not-found, user.not-found
   */
  async record(purchase: PayloadOf<Catalog, 'sales.record'>): Promise<ReplyOf<Catalog, 'sales.record'>> {
    const { productId, buyerName } = purchase;
    const { title, ownerId, ownerName } = await this.products.soldProduct(productId);
    const buyerId = buyerName === undefined ? null : await this.userId(buyerName);
    await this.sales.record({ productId, productTitle: title, ownerId, buyerId });
    return { productId, title, ownerName, buyerName: buyerName ?? null };
  }

  /**
   * Invalidates the cache of this process without the broadcast, which arrives later: the
   * operator's next request must show the change.
   */
  private invalidateAndRead(saleId: number): Promise<Sale> {
    this.cache.invalidate();
    return this.queries.get(saleId);
  }

  private async userId(name: string): Promise<number> {
    const id = await this.queries.userIdByName(name);
    if (id === undefined) throw userNotFound(name);
    return id;
  }
}

const dateOf = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
