import { Injectable } from '@nestjs/common';
import { Database } from '#persistence';

interface DeliveryStats {
  readonly pending: number;
  readonly oldestDueSeconds: number;
  readonly openCircuits: number;
  readonly disabled: number;
}

const stats = `
  select count(*) filter (where e.status = 'enabled') as pending,
    coalesce(extract(epoch from now() - min(next_attempt_at) filter (
      where e.status = 'enabled' and failures = 0 and next_attempt_at <= now()
    )), 0)::float8 as "oldestDueSeconds",
    (select count(*) from webhook_endpoints where status = 'enabled' and open_until > now()) as "openCircuits",
    (select count(*) from webhook_endpoints where status = 'disabled') as disabled
  from webhook_deliveries d join webhook_endpoints e on e.id = endpoint_id where d.status = 'pending'`;

/** The metrics of a scrape share one read. */
const cacheMs = 1_000;

@Injectable()
export class DeliveryQueries {
  private last: { readonly at: number; readonly stats: Promise<DeliveryStats | undefined> } | undefined;

  constructor(private readonly database: Database) {}

  /** Returns undefined while the database is not available. */
  stats(): Promise<DeliveryStats | undefined> {
    const now = performance.now();
    if (!this.last || now - this.last.at > cacheMs)
      this.last = {
        at: now,
        stats: this.database.read<DeliveryStats>(stats).then(
          ([row]) => row,
          () => undefined,
        ),
      };
    return this.last.stats;
  }
}
