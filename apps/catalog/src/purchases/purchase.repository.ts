import { Injectable } from '@nestjs/common';
import type { EventPayload } from '#contracts';
import { appendEvent } from '#events';
import { Database } from '#persistence';
import { type Purchase } from './purchase.rules.js';

const columns = `id, external_id as "externalId", product_id as "productId", variant_id as "variantId", quantity,
  buyer_id as "buyerId"`;

/** Saves purchases. A new one appends `sale.recorded`. */
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
    { externalId, productId, variantId, quantity, buyerId }: Omit<Purchase, 'id'>,
    recorded: EventPayload<'sale.recorded'>,
  ): Promise<Purchase | undefined> {
    return this.database.transaction(async (tx) => {
      const [purchase] = await tx.query<Purchase[]>(
        `insert into purchases (external_id, product_id, variant_id, quantity, buyer_id) values ($1, $2, $3, $4, $5)
         on conflict (lower(external_id)) do nothing returning ${columns}`,
        [externalId, productId, variantId, quantity, buyerId],
      );
      if (purchase) await appendEvent(tx, 'sale.recorded', recorded);
      return purchase;
    });
  }
}
