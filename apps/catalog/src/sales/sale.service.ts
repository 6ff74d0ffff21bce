import { Injectable } from '@nestjs/common';
import { type PayloadOf, type Sale, type Services } from '#contracts';
import { SaleCache } from './sale.cache.js';
import { SaleQueries } from './sale.queries.js';
import { SaleRepository } from './sale.repository.js';

type Catalog = Services['catalog'];

/** Use cases of sales, for operators. */
@Injectable()
export class SaleService {
  constructor(
    private readonly sales: SaleRepository,
    private readonly queries: SaleQueries,
    private readonly cache: SaleCache,
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
      userId: target.kind === 'user' ? await this.queries.userIdByName(target.userName) : null,
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
   * Invalidates the cache of this process without the broadcast, which arrives later: the
   * operator's next request must show the change.
   */
  private invalidateAndRead(saleId: number): Promise<Sale> {
    this.cache.invalidate();
    return this.queries.get(saleId);
  }
}

const dateOf = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
