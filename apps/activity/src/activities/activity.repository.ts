import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { dismissUser, holdUser, type Tx } from '#persistence';
import { type ActivityData, type Occurrence } from './activity.rules.js';
import { ActivityEntity } from './activity.entity.js';

/** What every activity has: who is told of what event, of whom, and when it happened. */
interface Told {
  readonly eventId: string;
  readonly receiverId: number;
  readonly senderId: number;
  readonly actorId: number;
  readonly at: Date;
}

/**
 * See `FavoritesOfAnHour`, the migration. First the user and the product, which it locks, then the time: favorites that are
 * told of together are told of in the order in which they happened.
 */
const tellOfFavorite = `tell_of_favorite($1, receiver => $5::bigint, sender => $6::bigint, actor => $2::bigint,
  at => $4::timestamptz, product => jsonb_build_object('productId', $3::bigint, 'productTitle', $7::text))`;

/** Each by its own index; what a user does to itself is among the first. */
const ofUser = [
  'receiver_id = $1',
  "actor_id = $1 and kind = 'favorite'",
  "actor_id = $1 and actor_id > 0 and kind = 'sale'",
];

@Injectable()
export class ActivityRepository {
  /** Tells of an occurrence, unless it is about somebody who has gone. */
  async add(tx: Tx, { at, ...told }: Told, { kind, data }: Occurrence): Promise<void> {
    if (!(await areHere(tx, told))) return;
    await tx.insert(ActivityEntity, { ...told, kind, data, createdAt: at });
  }

  /**
   * Tells of a favorite, unless one of the same user on the same product within an hour has been told of, or it is about
   * somebody who has gone.
   */
  async addFavorite(once: Delivery['onceCalling'], told: Told, data: ActivityData['favorite']): Promise<void> {
    const { receiverId, senderId, actorId, at } = told;
    const { productId, productTitle } = data;
    await once(tellOfFavorite, [actorId, productId, at, receiverId, senderId, productTitle]);
  }

  /** Forgets what a user was told of, and what others were told of the user, who is not heard of again. */
  async forget(tx: Tx, userId: number): Promise<void> {
    await dismissUser(tx, userId);
    for (const theirs of ofUser) await tx.query(`delete from activities where ${theirs}`, [userId]);
  }
}

/** Whether neither of the two has gone; they stay until the transaction ends. */
async function areHere(tx: Tx, { receiverId, actorId }: Pick<Told, 'receiverId' | 'actorId'>): Promise<boolean> {
  for (const userId of new Set([receiverId, actorId])) if (!(await holdUser(tx, userId))) return false;
  return true;
}
