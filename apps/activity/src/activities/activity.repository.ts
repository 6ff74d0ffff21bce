import { Injectable } from '@nestjs/common';
import { appendEvent, type Delivery, metadataOfCall, OutboxSignal } from '#events';
import { lockUser, markUserDeleted, type Tx } from '#persistence';
import { type ActivityData, type Occurrence } from './activity.rules.js';
import { ActivityEntity } from './activity.entity.js';

/** Fields common to new activities of all kinds. */
interface NewActivity {
  readonly eventId: string;
  readonly receiverId: number;
  readonly senderId: number;
  readonly actorId: number;
  readonly at: Date;
}

/**
 * Call of the function from the migration `PublishActivities`. The function locks receiver
 * and actor, and the pair of actor and product. Calls of a batch run in the order of their
 * parameters, which begin with actor, product and time: pairs are locked in a fixed order, and the
 * favorites of one actor on one product are added in the order in which they happened.
 */
const addFavoriteCall = `upsert_favorite_activity($1, receiver => $5::bigint, sender => $6::bigint, actor => $2::bigint,
  at => $4::timestamptz, product => jsonb_build_object('productId', $3::bigint, 'productTitle', $7::text), trace => $8::jsonb)`;

/**
 * Conditions for the activities whose receiver or actor is a user, each served by a separate index.
 * Activities of the kinds `material` and `webhook` need only the first, because their actor is the
 * receiver.
 */
const userConditions = [
  'receiver_id = $1',
  "actor_id = $1 and kind = 'favorite'",
  "actor_id = $1 and actor_id > 0 and kind = 'sale'",
];

@Injectable()
export class ActivityRepository {
  constructor(private readonly outbox: OutboxSignal) {}

  /** Adds an activity and appends `activity.created`, unless its receiver or actor is deleted. */
  async add(tx: Tx, { at, ...users }: NewActivity, { kind, data }: Occurrence): Promise<void> {
    if (!(await lockUsers(tx, users))) return;
    const { identifiers } = await tx.insert(ActivityEntity, { ...users, kind, data, createdAt: at });
    const activityId = String(identifiers[0]!.id).replaceAll('-', '');
    await appendEvent(tx, 'activity.created', { activityId, receiverId: users.receiverId });
  }

  /**
   * Adds an activity for a favorite and appends `activity.created`, unless the receiver or the
   * actor is deleted, or the actor's favorites on the product have an activity less than an hour
   * older or newer. An anonymous favorite makes the oldest such activity anonymous.
   */
  async addFavorite(
    once: Delivery['onceCalling'],
    activity: NewActivity,
    data: ActivityData['favorite'],
  ): Promise<void> {
    const { receiverId, senderId, actorId, at } = activity;
    const { productId, productTitle } = data;
    const users = [receiverId, senderId];
    const metadata = JSON.stringify(metadataOfCall());
    if (await once(addFavoriteCall, [actorId, productId, at, ...users, productTitle, metadata])) this.outbox.appended();
  }

  /** Deletes the activities whose receiver or actor is the user, and blocks new ones. */
  async deleteUserData(tx: Tx, userId: number): Promise<void> {
    await markUserDeleted(tx, userId);
    for (const condition of userConditions) await tx.query(`delete from activities where ${condition}`, [userId]);
  }
}

/**
 * Blocks `markUserDeleted` of this service for receiver and actor until the transaction ends.
 *
 * @returns false when one of the two is in `deleted_users`
 */
async function lockUsers(
  tx: Tx,
  { receiverId, actorId }: Pick<NewActivity, 'receiverId' | 'actorId'>,
): Promise<boolean> {
  for (const userId of new Set([receiverId, actorId])) if (!(await lockUser(tx, userId))) return false;
  return true;
}
