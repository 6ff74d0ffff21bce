import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '#persistence';
import { ActivityEnv } from '../env.js';

const sweepEveryMs = 3_600_000;
/** Locked and written at once: some 20 ms. */
const batchSize = 1_000;

// Whoever reads or another process sweeps a row keeps it for now: nobody waits
const forgetOldest = `
  with forgotten as (
    delete from activities where id = any(array(
      select id from activities where created_at < now() - $1 * interval '1 day'
      order by created_at limit ${batchSize} for update skip locked
    )) returning 1
  )
  select count(*) as count from forgotten`;

/**
 * Forgets what happened long ago, read or not: the table would grow for ever, and the list shows the newest 30. Any
 * number of processes may do so at once; what one leaves behind is found by the next.
 */
@Injectable()
export class ActivitySweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('ActivitySweeper');
  private timer: NodeJS.Timeout | undefined;
  private isEnding = false;

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
        (forgotten) =>
          forgotten > 0 && this.log.log(`${forgotten} activities of more than ${this.days} days forgotten`),
        (error: unknown) => this.log.warn(`old activities are not forgotten: ${String(error)}`),
      );
    };
    sweep();
    this.timer = setInterval(sweep, sweepEveryMs).unref();
  }

  onModuleDestroy(): void {
    this.isEnding = true;
    clearInterval(this.timer);
  }

  /** A batch at a time, oldest first, until there is none that is full. @returns how many were forgotten */
  async sweep(): Promise<number> {
    for (let forgotten = 0; ;) {
      const [batch] = await this.database.query<{ count: number }>(forgetOldest, [this.days]);
      forgotten += batch!.count;
      if (batch!.count < batchSize || this.isEnding) return forgotten;
    }
  }
}
