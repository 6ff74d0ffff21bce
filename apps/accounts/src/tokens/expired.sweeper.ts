import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '#persistence';

const sweepMs = 60_000;
const batch = 500;

/** What is of no use any more. No answer rests on it: whatever has expired is refused while it still lies there. */
const expired = {
  // What came from a code knows its hash, so a replay is noticed without the code
  authorization_codes: 'expires_at < now()',
  access_tokens: 'expires_at < now()',
  refresh_tokens: 'expires_at < now()',
  sessions: 'expires_at < now()',
  identity_attempts: 'expires_at < now()',
  identity_tickets: 'expires_at < now()',
  // Other services delete what the user had within seconds, or after an outage
  deleted_users: "deleted_at < now() - interval '7 days'",
} as const;

/** Deletes what has expired, in every process: two that sweep at once take different rows. */
@Injectable()
export class ExpiredSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private sweeping: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    // A failure waits for the next time
    const sweep = (): void => {
      this.sweeping = this.sweep().catch(() => undefined);
    };
    this.timer = setInterval(sweep, sweepMs).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.stopped = true;
    await this.sweeping;
  }

  /** @returns how many rows were deleted */
  async sweep(): Promise<number> {
    let total = 0;
    for (const [table, condition] of Object.entries(expired))
      for (let deleted = batch; deleted === batch && !this.stopped; total += deleted)
        deleted = await this.deleteBatch(table, condition);
    return total;
  }

  private async deleteBatch(table: string, condition: string): Promise<number> {
    const rows = await this.database.query(
      `with gone as (
         delete from ${table} where ctid = any(array(
           select ctid from ${table} where ${condition} limit ${batch} for update skip locked))
         returning 1)
       select from gone`,
    );
    return rows.length;
  }
}
