import { Injectable } from '@nestjs/common';
import { Database, dismissUser } from '#persistence';

/** What this service keeps of a user beside favorites. */
@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  /** From now on the user says nothing of products; choices and answers that were kept are forgotten. */
  dismiss(userId: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      await dismissUser(tx, userId);
      await tx.query('delete from idempotency_keys where user_id = $1', [userId]);
      await tx.query('delete from choices where user_id = $1', [userId]);
    });
  }

  /** Some products that the user favors; none when there are no more. */
  async someFavored(userId: number): Promise<number[]> {
    const rows = await this.database.query<{ productId: number }>(
      `select product_id as "productId" from favorites where user_id = $1 order by created_at desc, id desc limit 100`,
      [userId],
    );
    return rows.map(({ productId }) => productId);
  }
}
