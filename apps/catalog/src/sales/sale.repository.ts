import { Injectable } from '@nestjs/common';
import { type SaleDiscount } from '#contracts';
import { appendEvent } from '#events';
import { DomainError } from '#kernel';
import { Database, violatedConstraint } from '#persistence';
import { productNotFound } from '../products/product.errors.js';
import { SaleEntity } from './sale.entity.js';
import { itemNotFound, saleInvalid, saleNotFound } from './sale.errors.js';

/** A sale to insert. Exactly one of the three ids is not null. */
interface SaleDraft {
  readonly name: string;
  readonly itemId: number | null;
  readonly userId: number | null;
  readonly productId: number | null;
  readonly discount: SaleDiscount;
  /** Null for now, by the clock of the database. */
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
}

/** Saves sales. Every change appends `sales.changed`. */
@Injectable()
export class SaleRepository {
  constructor(private readonly database: Database) {}

  /**
   * @returns the id of the sale
   * @throws DomainError item.not-found, product.not-found, sale.invalid
   */
  async create({ discount, startsAt, ...draft }: SaleDraft): Promise<number> {
    try {
      return await this.database.transaction(async (tx) => {
        const { identifiers } = await tx.insert(SaleEntity, {
          ...draft,
          percent: discount.kind === 'percent' ? discount.percent : null,
          amount: discount.kind === 'amount' ? discount.amount : null,
          startsAt: startsAt ?? (() => 'now()'),
        });
        await appendEvent(tx, 'sales.changed', {});
        return identifiers[0]!.id as number;
      });
    } catch (error) {
      throw toDomainError(error, draft) ?? error;
    }
  }

  /**
   * Ends a running or future sale now. Idempotent.
   *
   * @throws DomainError sale.not-found
   */
  async end(saleId: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      const sale = await tx.findOne(SaleEntity, { where: { id: saleId }, lock: { mode: 'pessimistic_write' } });
      if (!sale) throw saleNotFound(saleId);
      const { affected } = await tx
        .createQueryBuilder()
        .update(SaleEntity)
        .set({ endedAt: () => 'now()' })
        .where('id = :saleId and ended_at is null and (ends_at is null or ends_at > now())', { saleId })
        .execute();
      if (affected) await appendEvent(tx, 'sales.changed', {});
    });
  }
}

/** Returns the error of a violated constraint, undefined for other errors. */
function toDomainError(error: unknown, { itemId, productId }: Pick<SaleDraft, 'itemId' | 'productId'>) {
  const errorOfConstraint: Readonly<Record<string, () => DomainError>> = {
    sales_item_fk: () => itemNotFound(itemId!),
    sales_product_fk: () => productNotFound(productId!),
    sales_ends_after_start: () => saleInvalid('The sale ends before it starts.'),
    sales_ends_later: () => saleInvalid('The sale has ended already.'),
  };
  return errorOfConstraint[violatedConstraint(error) ?? '']?.();
}
