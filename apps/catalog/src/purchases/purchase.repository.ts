import { Injectable } from '@nestjs/common';
import type { EventPayload, PrintOrder } from '#contracts';
import { appendEvent } from '#events';
import { Database } from '#persistence';
import { type Purchase } from './purchase.rules.js';

const columns = `id, external_id as "externalId", product_id as "productId", variant_id as "variantId", quantity,
  buyer_id as "buyerId", created_at as "createdAt"`;

/** Saves purchases. A new one appends `sale.recorded` and `production.requested`. */
@Injectable()
export class PurchaseRepository {
  constructor(private readonly database: Database) {}

  /** Returns the purchase with an external id, ignoring its case. */
  async find(externalId: string): Promise<Purchase | undefined> {
    const [found] = await this.database.query<Purchase>(
      `select ${columns} from purchases where lower(external_id) = lower($1)`,
      [externalId],
    );
    return found;
  }

  /** Returns the new purchase; undefined if its external id is known. */
  record(
    { externalId, productId, variantId, quantity, buyerId }: Omit<Purchase, 'id' | 'createdAt'>,
    recorded: EventPayload<'sale.recorded'>,
    order: PrintOrder,
  ): Promise<Purchase | undefined> {
    return this.database.transaction(async (tx) => {
      const [purchase] = await tx.query<Purchase[]>(
        `insert into purchases (external_id, product_id, variant_id, quantity, buyer_id) values ($1, $2, $3, $4, $5)
         on conflict (lower(external_id)) do nothing returning ${columns}`,
        [externalId, productId, variantId, quantity, buyerId],
      );
      if (!purchase) return undefined;
      const { id: purchaseId, createdAt } = purchase;
      await appendEvent(tx, 'sale.recorded', recorded);
      const recordedAt = createdAt.toISOString();
      await appendEvent(tx, 'production.requested', { purchaseId, externalId, quantity, recordedAt, order });
      return purchase;
    });
  }
}
