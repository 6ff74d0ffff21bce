import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, markUserDeleted } from '#persistence';

/** Deletes the data of a user, except for materials. */
@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  /**
   * Marks the user as deleted, so that later creations by the user are rejected. Deletes the user's
   * stored responses and the sales that target the user, and the buyer of the user's purchases.
   */
  markDeleted(userId: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      await markUserDeleted(tx, userId);
      await tx.query('delete from idempotency_keys where user_id = $1', [userId]);
      await tx.query('update purchases set buyer_id = null where buyer_id = $1', [userId]);
      const [, sales] = await tx.query<[unknown[], number]>('delete from sales where user_id = $1', [userId]);
      if (sales > 0) await appendEvent(tx, 'sales.changed', {});
    });
  }

  /**
   * Appends `user.materials-deleted`, on which material-rendering deletes the user's textures and
   * external images. Repeated deliveries append the event again, and its consumer is idempotent.
   */
  appendMaterialsDeleted(userId: number): Promise<void> {
    return this.database.transaction((tx) => appendEvent(tx, 'user.materials-deleted', { userId }));
  }

  /** Returns the ids of the user's newest 100 materials. */
  async findMaterialIds(userId: number): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      'select id from materials where user_id = $1 order by created_at desc, id desc limit 100',
      [userId],
    );
    return rows.map(({ id }) => id);
  }
}
