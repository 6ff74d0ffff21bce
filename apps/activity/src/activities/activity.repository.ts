import { Injectable } from '@nestjs/common';
import { dismissUser, holdUser, type Tx } from '#persistence';
import { anonymousUserId, type ActivityData, type Occurrence } from './activity.js';
import { ActivityEntity } from './activity.entity.js';

/** What every activity has: who is told of what event, of whom, and when it happened. */
export interface Told {
  readonly eventId: string;
  readonly receiverId: number;
  readonly senderId: number;
  readonly actorId: number;
  readonly at: Date;
}

/** Favorites of one user on one product are put into an order until the transaction ends. */
const inOrder = `select pg_advisory_xact_lock(hashtextextended('favorite ' || $1::text || ' ' || $2::text, 0))`;

const sameHour = `
  kind = 'favorite' and actor_id = $4 and data ->> 'productId' = $6::jsonb ->> 'productId'
  and created_at > $5::timestamptz - interval '1 hour' and created_at < $5::timestamptz + interval '1 hour'`;

/**
 * One activity an hour: the first favorite opens an hour, and what falls into it, or less than an hour before it
 * (events may come in any order), is the same activity. Once one of its favorites is anonymous, the activity is: a
 * favorite that was placed under a name does not name those that were not. The lock above makes the question and the
 * insert one step.
 */
const addFirstOfTheHour = `
  with hidden as (
    update activities set sender_id = ${anonymousUserId}
    where $3::bigint = ${anonymousUserId} and id = (select id from activities where ${sameHour} order by created_at limit 1)
  )
  insert into activities (event_id, receiver_id, sender_id, actor_id, created_at, kind, data)
  select $1::uuid, $2::bigint, $3::bigint, $4::bigint, $5::timestamptz, 'favorite', $6::jsonb
  where not exists (select from activities where ${sameHour})`;

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

  /** Tells of a favorite, unless one of the same user on the same product within an hour has been told of. */
  async addFavorite(tx: Tx, told: Told, data: ActivityData['favorite']): Promise<void> {
    const { eventId, receiverId, senderId, actorId, at } = told;
    if (!(await areHere(tx, told))) return;
    await tx.query(inOrder, [actorId, data.productId]);
    await tx.query(addFirstOfTheHour, [eventId, receiverId, senderId, actorId, at, JSON.stringify(data)]);
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
