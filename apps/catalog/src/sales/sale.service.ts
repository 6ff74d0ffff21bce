import { Injectable } from '@nestjs/common';
import { type PayloadOf, type ReplyOf, type Sale, type Services } from '#contracts';
import { ProductFactsQueries } from '../products/product-facts.queries.js';
import { SaleCache } from './sale.cache.js';
import { userNotFound } from './sale.errors.js';
import { SaleQueries } from './sale.queries.js';
import { SaleRepository } from './sale.repository.js';

type Catalog = Services['catalog'];

/** What an operator does with sales, and what an order system tells of them. */
@Injectable()
export class SaleService {
  constructor(
    private readonly sales: SaleRepository,
    private readonly queries: SaleQueries,
    private readonly cache: SaleCache,
    private readonly products: ProductFactsQueries,
  ) {}

  /** @throws DomainError item.not-found, user.not-found, product.not-found, sale.invalid */
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
    return this.changed(saleId);
  }

  /** Ends a sale now; one that is over stays as it is. Throws DomainError sale.not-found. */
  async end(saleId: number): Promise<Sale> {
    await this.sales.end(saleId);
    return this.changed(saleId);
  }

  /** Tells the owner of a product that somebody bought it. Throws DomainError product.not-found, user.not-found. */
  async record(sold: PayloadOf<Catalog, 'sales.record'>): Promise<ReplyOf<Catalog, 'sales.record'>> {
    const { productId, buyerName } = sold;
    const { title, ownerId, ownerName } = await this.products.sold(productId);
    const buyerId = buyerName === undefined ? null : await this.userId(buyerName);
    await this.sales.record({ productId, productTitle: title, ownerId, buyerId });
    return { productId, title, ownerName, buyerName: buyerName ?? null };
  }

  /** Invalidated here as well as by the broadcast, which arrives later: the operator's next request shows the change. */
  private changed(saleId: number): Promise<Sale> {
    this.cache.invalidate();
    return this.queries.one(saleId);
  }

  private async userId(name: string): Promise<number> {
    const id = await this.queries.userId(name);
    if (id === undefined) throw userNotFound(name);
    return id;
  }
}

const dateOf = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
