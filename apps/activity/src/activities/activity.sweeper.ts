import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '#persistence';
import { ActivityEnv } from '../env.js';

const sweepIntervalMs = 3_600_000;
/** Maximum number of rows that one statement deletes, which takes some 20 ms. */
const batchSize = 1_000;

// Does not wait for rows that a list (which marks them as read) or another sweeper has locked
const deleteOldest = `
  with deleted as (
    delete from activities where id = any(array(
      select id from activities where created_at < now() - $1 * interval '1 day'
      order by created_at limit ${batchSize} for update skip locked
    )) returning 1
  )
  select count(*) as count from deleted`;

/**
 * Hourly sweeper of old activities, read or unread. Without it the table would grow without limit,
 * while the list shows the newest 30. Any number of processes may sweep concurrently. Locked rows
 * are skipped, and deleted by a later sweep.
 */
@Injectable()
export class ActivitySweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('ActivitySweeper');
  private timer: NodeJS.Timeout | undefined;
  private isShuttingDown = false;

  private readonly days: number;

  constructor(
    private readonly database: Database,
    { ACTIVITY_DAYS }: ActivityEnv,
  ) {
    this.days = ACTIVITY_DAYS;
  }

  onApplicationBootstrap(): void {
    const sweep = (): void => {
      this.sweep().then(
        (deleted) => deleted > 0 && this.log.log(`Deleted ${deleted} activities older than ${this.days} days`),
        (error: unknown) => this.log.warn(`Deleting old activities failed, retrying in 1 hour: ${String(error)}`),
      );
    };
    sweep();
    this.timer = setInterval(sweep, sweepIntervalMs).unref();
  }

  onModuleDestroy(): void {
    this.isShuttingDown = true;
    clearInterval(this.timer);
  }

  /**
   * Deletes old activities in batches, oldest first, until a batch is not full or the process shuts
   * down.
   *
   * @returns the number of deleted activities
   */
  async sweep(): Promise<number> {
    for (let deleted = 0; ;) {
      const [batch] = await this.database.query<{ count: number }>(deleteOldest, [this.days]);
      deleted += batch!.count;
      if (batch!.count < batchSize || this.isShuttingDown) return deleted;
    }
  }
}
