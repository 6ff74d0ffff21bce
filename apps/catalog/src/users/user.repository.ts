import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, dismissUser } from '#persistence';

/** What this service keeps of a user beside materials. */
@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  /** From now on nothing is made for the user; sales for the user end, and answers that were kept are forgotten. */
  dismiss(userId: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      await dismissUser(tx, userId);
      await tx.query('delete from idempotency_keys where user_id = $1', [userId]);
      const [, sales] = await tx.query<[unknown[], number]>('delete from sales where user_id = $1', [userId]);
      if (sales > 0) await appendEvent(tx, 'sales.changed', {});
    });
  }

  /** Writes `user.materials-deleted`: the renderer may delete the user's textures. A second one changes nothing there. */
  announceMaterialsDeleted(userId: number): Promise<void> {
    return this.database.transaction((tx) => appendEvent(tx, 'user.materials-deleted', { userId }));
  }

  /** Ids of some materials of the user; none when there are no more. */
  async someMaterials(userId: number): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      'select id from materials where user_id = $1 order by created_at desc, id desc limit 100',
      [userId],
    );
    return rows.map(({ id }) => id);
  }
}
