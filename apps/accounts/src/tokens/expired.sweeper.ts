import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '#persistence';

const sweepIntervalMs = 60_000;
const batchSize = 500;

/**
 * Conditions of deletable rows by table. No request depends on the deletion, because expired rows
 * are ignored or rejected.
 */
const expiredConditions = {
  // Tokens store the hash of their code, so a replay is detected without the code's row
  authorization_codes: 'expires_at < now()',
  access_tokens: 'expires_at < now()',
  refresh_tokens: 'expires_at < now()',
  sessions: 'expires_at < now()',
  identity_attempts: 'expires_at < now()',
  identity_tickets: 'expires_at < now()',
  mail_links: 'expires_at < now()',
  // Lists of other services need the ids until these services have deleted the users' data:
  // seconds, or the length of an outage
  deleted_users: "deleted_at < now() - interval '7 days'",
} as const;

/** Sweeper of expired rows. It runs in every process; concurrent sweeps skip each other's rows. */
@Injectable()
export class ExpiredSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private sweeping: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    // After a failure, the next interval tries again
    const sweep = (): void => {
      this.sweeping = this.sweep().catch(() => undefined);
    };
    this.timer = setInterval(sweep, sweepIntervalMs).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.stopped = true;
    await this.sweeping;
  }

  /** Deletes expired rows in batches, and returns their number. */
  async sweep(): Promise<number> {
    let total = 0;
    for (const [table, condition] of Object.entries(expiredConditions))
      for (let deleted = batchSize; deleted === batchSize && !this.stopped; total += deleted)
        deleted = await this.deleteBatch(table, condition);
    return total;
  }

  private async deleteBatch(table: string, condition: string): Promise<number> {
    const rows = await this.database.query(
      `with deleted as (
         delete from ${table} where ctid = any(array(
           select ctid from ${table} where ${condition} limit ${batchSize} for update skip locked))
         returning 1)
       select from deleted`,
    );
    return rows.length;
  }
}
