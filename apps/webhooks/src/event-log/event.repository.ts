import { Injectable } from '@nestjs/common';
import type { EventEnvelope } from '#contracts';
import type { Delivery } from '#events';
import { Database, markUserDeleted } from '#persistence';
import type { NewEvent } from './logged-event.rules.js';

/** Function of the migration `AppendBatches`. */
const appendCall = 'append_events($events)';

const batchSize = 1_000;

/** Deletes the oldest events in the order of their positions, and stores the last of them. */
const deleteOldest = `
  with oldest as (
    select position, logged_at from events order by position limit ${batchSize}
  ), deleted as (
    delete from events using oldest
    where events.position = oldest.position and oldest.logged_at < now() - $1 * interval '1 day'
    returning events.position
  ), stored as (
    update deleted_events set position = greatest(deleted_events.position, last.position)
    from (select max(position) as position from deleted) last where last.position is not null
  )
  select count(*) as count from deleted`;

/**
 * Deletes events of a user, and stores the highest of their positions, so that the end of the log
 * does not decrease. Cursors of other users stay valid.
 */
const deleteOfUser = `
  with deleted as (
    delete from events where position = any(array(
      select position from events where user_id = $1 limit ${batchSize}
    )) returning events.position
  ), stored as (
    update deleted_events set last_position = greatest(last_position, last.position)
    from (select max(position) as position from deleted) last where last.position is not null
  )
  select count(*) as count from deleted`;

const deleteEnded = `
  with deleted as (
    delete from resources where resource = any(array(
      select resource from resources where ended_at < now() - $1 * interval '1 day' limit ${batchSize}
    )) returning 1
  )
  select count(*) as count from deleted`;

@Injectable()
export class EventRepository {
  constructor(private readonly database: Database) {}

  /**
   * Appends an event to the log: once, and after the earlier events of its resource. An event that
   * arrives before an earlier one waits for it in the database.
   */
  async append(
    once: Delivery['onceCalling'],
    { occurredAt, metadata }: Pick<EventEnvelope, 'occurredAt' | 'metadata'>,
    newEvent: NewEvent,
  ): Promise<void> {
    // The time first: most events of a batch are then appended in the order of their resource
    await once(appendCall, [new Date(occurredAt), { ...newEvent, trace: metadata }]);
  }

  /**
   * Appends the events that have waited for an earlier event for an hour.
   *
   * @returns the number of appended events
   */
  async appendOverdue(): Promise<number> {
    const [row] = await this.database.write<{ count: number }>("select append_overdue('1 hour') as count", []);
    return row!.count;
  }

  /**
   * Deletes the events of a user in batches, and prevents new ones. Deletes stored responses, too.
   * May be repeated after a failure.
   */
  async deleteUserData(userId: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      await markUserDeleted(tx, userId);
      await tx.query('delete from idempotency_keys where user_id = $1', [userId]);
    });
    while (await this.deleteBatch(deleteOfUser, userId));
  }

  /** Deletes a batch of the events that are older than `days`. @returns true when more may exist */
  deleteOldest(days: number): Promise<boolean> {
    return this.deleteBatch(deleteOldest, days);
  }

  /**
   * Deletes a batch of the revisions of resources that were deleted `days` ago.
   *
   * @returns true when more may exist
   */
  deleteEndedResources(days: number): Promise<boolean> {
    return this.deleteBatch(deleteEnded, days);
  }

  private async deleteBatch(statement: string, parameter: number): Promise<boolean> {
    const [deleted] = await this.database.query<{ count: number }>(statement, [parameter]);
    return deleted!.count === batchSize;
  }
}
