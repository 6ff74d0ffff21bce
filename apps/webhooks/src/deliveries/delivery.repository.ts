import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, type Tx } from '#persistence';
import { EndpointEntity, type StoredSecret } from '../endpoints/endpoint.entity.js';
import { markDeleted } from '../endpoints/endpoint.repository.js';
import type { EventRow } from '../event-log/event.queries.js';
import { AttemptEntity } from './attempt.entity.js';
import { DeliveryEntity } from './delivery.entity.js';
import { type AttemptResult, healthAfterFailure, hostOf, nextAttemptAt } from './delivery.rules.js';

/** Attempt of a delivery that a job makes. */
export interface Claim {
  readonly delivery: number;
  /** Number of the attempt. */
  readonly attempt: number;
}

/** Maximum numbers of attempts in progress. */
export interface ClaimLimits {
  /** At one endpoint without failures; four times as many at all endpoints of a user. */
  readonly perEndpoint: number;
  /**
   * At all endpoints together. From this number on, only endpoints without an attempt in progress
   * get one.
   */
  readonly shared: number;
}

/** Delivery after an attempt. */
interface RecordedAttempt {
  readonly status: DeliveryEntity['status'];
  /** True if the endpoint may have further due deliveries. */
  readonly hasMore: boolean;
}

/** What an attempt needs: the event, and the endpoint at this moment. */
export interface DueDelivery extends EventRow {
  /** Time of the append to the log, which creates the delivery. */
  readonly appendedAt: Date;
  readonly endpointId: number;
  readonly ownerId: number;
  readonly url: string;
  readonly secrets: readonly StoredSecret[];
  readonly endpointStatus: EndpointEntity['status'];
  /** False when the application of the endpoint may no longer read the events of the user. */
  readonly isPermitted: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}

const batchSize = 1_000;
const retentionDays = 30;

/** Function of the migration `ClaimPerUser`. */
const claimDue = 'select delivery, attempt from claim_deliveries($1, $2, $3, $4)';

const findDue = `
  select event_id as id, l.user_id as "userId", type, sequence, data, occurred_at as "occurredAt", metadata,
    d.created_at as "appendedAt", e.id as "endpointId", e.user_id as "ownerId", url, secrets, e.status as "endpointStatus",
    application_id is null or type = 'webhook.test' or exists (
      select from accounts.consents c
      where c.user_id = l.user_id and c.application_id = e.application_id and 'read' = any(c.scopes)
    ) as "isPermitted"
  from webhook_deliveries d join webhook_endpoints e on e.id = endpoint_id join events l using (position)
  where d.id = $1 and attempts = $2 - 1 and d.status = 'pending'`;

const recordSuccess = `
  with succeeded as (
    update webhook_deliveries
    set status = 'succeeded', attempts = $2, schedule_step = schedule_step + 1, next_attempt_at = null, claimed_until = null
    where id = $1 and attempts = $2 - 1 and status = 'pending' returning endpoint_id
  ), attempt as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status_code)
    select $1, $2, $3, $4, $5 from succeeded
  ), recovered as (
    update webhook_endpoints set failures = 0, failing_since = null, open_until = null
    from succeeded where id = endpoint_id and failures > 0
  )
  select exists (
    select from webhook_deliveries d
    where d.endpoint_id = succeeded.endpoint_id and d.status = 'pending' and d.next_attempt_at <= now() and d.claimed_until is null
  ) as "hasMore"
  from succeeded`;

const endAttempt = 'update webhook_deliveries set claimed_until = null';

const deleteOldest = `
  with oldest as (select id, created_at from webhook_deliveries order by id limit ${batchSize}),
  deleted as (
    delete from webhook_deliveries d using oldest
    where d.id = oldest.id and oldest.created_at < now() - ${retentionDays} * interval '1 day' returning 1
  )
  select count(*) as count from deleted`;

const deleteOfUser = `
  with deleted as (
    delete from webhook_deliveries where id = any(array(
      select d.id from webhook_deliveries d join webhook_endpoints e on e.id = endpoint_id
      where user_id = $1 limit ${batchSize}
    )) returning 1
  )
  select count(*) as count from deleted`;

/** Endpoints of deleted applications. New ones may be missing in a replica of `accounts`. */
const markWithoutApplication = `
  ${markDeleted} and application_id is not null and created_at < now() - interval '1 day'
    and not exists (select from accounts.applications a where a.id = webhook_endpoints.application_id)`;

const deleteOfDeletedEndpoints = `
  with deleted as (
    delete from webhook_deliveries where id = any(array(
      select d.id from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
      where deleted_at is not null limit ${batchSize}
    )) returning 1
  )
  select count(*) as count from deleted`;

const deleteEmptyEndpoints = `
  delete from webhook_endpoints e
  where deleted_at is not null and not exists (select from webhook_deliveries where endpoint_id = e.id)`;

/** Stores deliveries and their attempts. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly database: Database) {}

  /** Returns false while no event creates a delivery. */
  async hasEnabledEndpoints(): Promise<boolean> {
    const [row] = await this.database.read<{ exists: boolean }>(
      "select exists (select from webhook_endpoints where status = 'enabled')",
    );
    return row!.exists;
  }

  /**
   * Claims due deliveries for a job each. A claim expires after `leaseMs`, if the job is lost.
   *
   * @param endpoints maximum number of endpoints that get their first attempt
   */
  claim({ perEndpoint, shared }: ClaimLimits, endpoints: number, leaseMs: number): Promise<Claim[]> {
    return this.database.write<Claim>(claimDue, [perEndpoint, shared, endpoints, `${leaseMs} milliseconds`]);
  }

  /** Returns undefined when the attempt was made, or its delivery or endpoint deleted. */
  async find({ delivery, attempt }: Claim): Promise<DueDelivery | undefined> {
    const [found] = await this.database.read<DueDelivery>(findDue, [delivery, attempt]);
    return found;
  }

  /** Ends a claim without an attempt. */
  async release({ delivery }: Claim): Promise<void> {
    await this.database.write(`${endAttempt} where id = $1`, [delivery]);
  }

  /** Ends a delivery that is no longer permitted. */
  async cancel({ delivery }: Claim): Promise<void> {
    await this.database.write(
      `${endAttempt}, status = 'cancelled', next_attempt_at = null where id = $1 and status = 'pending'`,
      [delivery],
    );
  }

  /**
   * Stores an attempt with its effects on the delivery and the endpoint.
   *
   * @returns undefined when another job has made this attempt
   */
  async record({ delivery, attempt }: Claim, result: AttemptResult): Promise<RecordedAttempt | undefined> {
    if (result.error !== null)
      return this.database.transaction((tx) => this.recordFailure(tx, { delivery, attempt }, result));
    const { startedAt, durationMs, statusCode } = result;
    const parameters = [delivery, attempt, startedAt, durationMs, statusCode];
    const [stored] = await this.database.write<{ hasMore: boolean }>(recordSuccess, parameters);
    return stored && { status: 'succeeded', hasMore: stored.hasMore };
  }

  /** Locks the endpoint before the delivery, like its deletion. */
  private async recordFailure(
    tx: Tx,
    { delivery, attempt }: Claim,
    result: AttemptResult,
  ): Promise<RecordedAttempt | undefined> {
    // The clocks of processes may differ from that of the database, which decides what is due
    const [endpoint] = await tx.query<(EndpointEntity & { readonly now: Date })[]>(
      `select e.id, e.user_id as "userId", url, e.status, failures, failing_since as "failingSince",
         open_until as "openUntil", clock_timestamp() as now
       from webhook_endpoints e where e.id = (select endpoint_id from webhook_deliveries where id = $1) for no key update`,
      [delivery],
    );
    const row = await tx.findOneBy(DeliveryEntity, { id: delivery, attempts: attempt - 1, status: 'pending' });
    if (!endpoint || !row) return undefined;
    const { now } = endpoint;
    const { disabledReason, ...health } = healthAfterFailure(endpoint, result, now);
    const next = result.statusCode === 410 ? null : nextAttemptAt(row.scheduleStep, result.retryAfterMs, now);
    const status = next ? 'pending' : 'failed';
    await tx.update(DeliveryEntity, delivery, {
      status,
      attempts: attempt,
      scheduleStep: row.scheduleStep + 1,
      nextAttemptAt: next,
      claimedUntil: null,
    });
    const { startedAt, durationMs, statusCode, error } = result;
    await tx.insert(AttemptEntity, {
      deliveryId: delivery,
      number: attempt,
      startedAt,
      durationMs,
      statusCode,
      error,
      nextAttemptAt: next,
    });
    const isDisabled = disabledReason !== null && endpoint.status === 'enabled';
    await tx.update(EndpointEntity, endpoint.id, {
      ...health,
      ...(isDisabled && { status: 'disabled', disabledReason }),
    });
    if (isDisabled) {
      const host = hostOf(endpoint.url);
      await appendEvent(tx, 'webhook.disabled', { endpointId: endpoint.id, userId: endpoint.userId, host });
    }
    return { status, hasMore: true };
  }

  /** Deletes a batch of the deliveries of 30 days ago. @returns true when more may exist */
  deleteOldest(): Promise<boolean> {
    return this.deleteBatch(deleteOldest);
  }

  /** Marks the endpoints of deleted applications as deleted. */
  async markWithoutApplication(): Promise<void> {
    await this.database.query(markWithoutApplication);
  }

  /**
   * Deletes a batch of the deliveries of deleted endpoints, and endpoints that have none left.
   *
   * @returns true when more may exist
   */
  async deleteOfDeletedEndpoints(): Promise<boolean> {
    const isFull = await this.deleteBatch(deleteOfDeletedEndpoints);
    await this.database.query(deleteEmptyEndpoints);
    return isFull;
  }

  /** Deletes the endpoints of a deleted user with their deliveries, in batches. */
  async deleteUserData(userId: number): Promise<void> {
    await this.database.query(`${markDeleted} and user_id = $1`, [userId]);
    while (await this.deleteBatch(deleteOfUser, userId));
    await this.database.query('delete from webhook_endpoints where user_id = $1', [userId]);
  }

  private async deleteBatch(statement: string, ...parameters: readonly number[]): Promise<boolean> {
    const [deleted] = await this.database.query<{ count: number }>(statement, parameters);
    return deleted!.count === batchSize;
  }
}
