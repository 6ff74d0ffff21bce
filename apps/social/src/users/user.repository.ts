import { Injectable } from '@nestjs/common';
import { insertOfEvent, metadataOfCall } from '#events';
import { Database, markUserDeleted } from '#persistence';

/** The events have no receiver. They end the choices in the event log. */
const deleteChoices = `
  with deleted as (
    delete from choices where user_id = $1 returning id, user_id, revision
  )
  ${insertOfEvent('choice.updated', {
    payload: {
      choiceId: 'deleted.id',
      userId: 'deleted.user_id',
      changed: `'["deleted"]'::jsonb`,
      revision: 'deleted.revision + 1',
    },
    metadata: '$2',
    from: 'deleted',
  })}`;

/** Deletes the data of a user, except for favorites, which `FavoriteRepository` withdraws. */
@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  /**
   * Marks a user as deleted, so that later writes of the user are rejected, and deletes the user's
   * choices and stored responses.
   */
  markDeleted(userId: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      await markUserDeleted(tx, userId);
      await tx.query('delete from idempotency_keys where user_id = $1', [userId]);
      await tx.query(deleteChoices, [userId, JSON.stringify(metadataOfCall())]);
    });
  }

  /** Returns the ids of up to 100 products with a favorite of the user, newest favorite first. */
  async findFavoriteProducts(userId: number): Promise<number[]> {
    const rows = await this.database.query<{ productId: number }>(
      `select product_id as "productId" from favorites where user_id = $1 order by created_at desc, id desc limit 100`,
      [userId],
    );
    return rows.map(({ productId }) => productId);
  }
}
