import { Injectable } from '@nestjs/common';
import { metadataOfCall } from '#events';
import { Database, lockAuthor, type Tx } from '#persistence';
import { endpointNotEnabled, endpointNotFound } from '../endpoints/endpoint.errors.js';
import type { EndpointTarget } from '../endpoints/endpoint.repository.js';
import { deliveryPending } from './delivery-log.errors.js';

const lockEndpoint =
  'select status from webhook_endpoints where id = $1 and user_id = $2 and deleted_at is null for share';

/**
 * Appends a test to the log of the owner and to the deliveries of this endpoint only. The caller
 * holds the lock of the log.
 */
const insertTest = `
  with event as (
    insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
    values (gen_random_uuid(), $2, 'webhook.test', 1, jsonb_build_object('endpointId', $1::bigint), $3, clock_timestamp())
    returning position
  )
  insert into webhook_deliveries (endpoint_id, position) select $1, position from event returning id`;

const batchSize = 1_000;

/**
 * Restarts the next deliveries after an id, in the order of ids. Omits rows that another
 * transaction has locked: their attempt is starting or ending.
 */
const restartBatch = `
  with batch as (
    select id from webhook_deliveries
    where endpoint_id = $1 and created_at >= $2 and id > $3
      and (status = 'failed' or status = 'pending' and schedule_step > 0 and claimed_until is null)
    order by id limit ${batchSize} for update skip locked
  ), restarted as (
    update webhook_deliveries d set status = 'pending', schedule_step = 0, next_attempt_at = now()
    from batch where d.id = batch.id
  )
  select count(*) as count, max(id) as last from batch`;

const restart = `
  update webhook_deliveries set status = 'pending', schedule_step = 0, next_attempt_at = now()
  where endpoint_id = $1`;

/** Starts deliveries: of a test event, or again of an event that was delivered before. */
@Injectable()
export class ReplayRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates a test event with its delivery.
   *
   * @param buildResult builds the result inside the transaction
   * @throws DomainError webhook-endpoint.not-found, webhook-endpoint.not-enabled; user.not-found
   *   for a deleted user
   */
  test<R>(target: EndpointTarget, buildResult: (tx: Tx, deliveryId: number) => Promise<R>): Promise<R> {
    const { viewerId, endpointId } = target;
    return this.database.transaction(async (tx) => {
      await lockAuthor(tx, viewerId);
      await this.lockEnabled(tx, target);
      await tx.query('select lock_event_log()');
      const [delivery] = await tx.query<{ id: number }[]>(insertTest, [endpointId, viewerId, metadataOfCall()]);
      return buildResult(tx, delivery!.id);
    });
  }

  /**
   * Restarts the schedule of a delivery that is not pending.
   *
   * @throws DomainError webhook-endpoint.not-found, webhook-endpoint.not-enabled,
   *   webhook-delivery.pending; webhook-delivery.not-found by `buildResult`
   */
  replay<R>(target: EndpointTarget, deliveryId: number, buildResult: (tx: Tx) => Promise<R>): Promise<R> {
    return this.database.transaction(async (tx) => {
      await this.lockEnabled(tx, target);
      const [{ count }] = await tx.query<[{ count: number }]>(
        `with restarted as (${restart} and id = $2 and status <> 'pending' returning 1)
         select count(*) as count from restarted`,
        [target.endpointId, deliveryId],
      );
      const result = await buildResult(tx);
      if (count === 0) throw deliveryPending(deliveryId);
      return result;
    });
  }

  /**
   * Restarts the schedules of all failed deliveries since a time, also of those that wait for a
   * retry. Omits attempts in progress, whose rows other transactions lock before the endpoint.
   *
   * Each batch has a transaction, so that none exceeds the statement timeout or locks the endpoint
   * for long. After an error the batches before it stay restarted: a repeated call restarts the
   * others.
   *
   * @param buildResult builds the result from their number, in the transaction of the last batch
   * @throws DomainError webhook-endpoint.not-found, webhook-endpoint.not-enabled;
   *   service.no-answer when the caller's deadline has passed
   */
  async replayFailed<R>(
    target: EndpointTarget,
    since: Date,
    buildResult: (tx: Tx, count: number) => Promise<R>,
  ): Promise<R> {
    let [total, lastId] = [0, 0];
    for (;;) {
      const { batch, result } = await this.database.transaction(async (tx) => {
        await this.lockEnabled(tx, target);
        const [batch] = await tx.query<[{ count: number; last: number }]>(restartBatch, [
          target.endpointId,
          since,
          lastId,
        ]);
        const isLast = batch.count < batchSize;
        return { batch, result: isLast ? { value: await buildResult(tx, total + batch.count) } : undefined };
      });
      if (result) return result.value;
      total += batch.count;
      lastId = batch.last;
    }
  }

  private async lockEnabled(tx: Tx, { viewerId, endpointId }: EndpointTarget): Promise<void> {
    const [endpoint] = await tx.query<{ status: string }[]>(lockEndpoint, [endpointId, viewerId]);
    if (!endpoint) throw endpointNotFound(endpointId);
    if (endpoint.status !== 'enabled') throw endpointNotEnabled(endpointId);
  }
}
