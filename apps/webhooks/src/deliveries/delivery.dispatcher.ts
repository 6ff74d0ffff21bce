import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AutoResetEvent, withJitter } from '#concurrency';
import { WorkQueue } from '#events';
import { Log } from '#observability';
import { Database } from '#persistence';
import { WebhooksEnv } from '../env.js';
import { deliveryMetrics } from './delivery.metrics.js';
import { DeliveryQueries } from './delivery.queries.js';
import { type ClaimLimits, DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';

const sweepMs = 1_000;
/** Longer than an attempt, so that no attempt is made twice at the same time. */
const leaseMs = 30_000;
const claimsPerRound = 500;
/** Concurrent attempts of a process. They mostly wait for the network. */
const concurrency = 512;
/** Half of the attempts are for endpoints that have none in progress. */
const limits: ClaimLimits = { perEndpoint: 8, shared: concurrency / 2 };

/** Returns true for a commit that may have made a delivery due: an append, or any transaction. */
const mayMakeDue = (statement?: string): boolean => statement === undefined || statement.includes('append_event');

/**
 * Claims due deliveries in the database and distributes their attempts over the processes. Rounds
 * start after commits and attempts of this process, and each second. Most attempts are the only one
 * of their endpoint and start none: a round takes about a millisecond of PostgreSQL.
 */
@Injectable()
export class DeliveryDispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('DeliveryDispatcher');
  private readonly queue: WorkQueue;
  private readonly work = new AutoResetEvent();
  private running: Promise<void> | undefined;
  private isClosing = false;
  private isFailing = false;
  /** As of the last sweep. Without enabled endpoints no commit starts a round. */
  private hasEndpoints = false;
  private stopMetrics: readonly (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
    private readonly queries: DeliveryQueries,
    service: DeliveryService,
    { REDIS_JOBS_URL, DRAIN_MS }: WebhooksEnv,
    log: Log,
  ) {
    this.queue = new WorkQueue({
      name: 'webhook-deliveries',
      jobsUrl: REDIS_JOBS_URL,
      log,
      concurrency,
      drainMs: DRAIN_MS,
      work: async ({ delivery, attempt }, signal) => {
        if (await service.attempt({ delivery: delivery!, attempt: attempt! }, signal)) this.work.set();
      },
    });
  }

  onApplicationBootstrap(): void {
    const metrics = deliveryMetrics();
    this.stopMetrics = [
      metrics.pending.watch({}, async () => (await this.queries.stats())?.pending),
      metrics.oldestDue.watch({}, async () => (await this.queries.stats())?.oldestDueSeconds),
      metrics.openCircuits.watch({}, async () => (await this.queries.stats())?.openCircuits),
      metrics.disabled.watch({}, async () => (await this.queries.stats())?.disabled),
    ];
    this.database.onCommit((statement) => {
      if (this.hasEndpoints && mayMakeDue(statement)) this.work.set();
    });
    this.queue.start();
    this.running = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    this.work.set();
    await this.running;
    await this.queue.close();
    for (const stop of this.stopMetrics) stop();
  }

  private async run(): Promise<void> {
    let sweptAt = -Infinity;
    while (!this.isClosing) {
      try {
        if (performance.now() - sweptAt >= sweepMs) {
          this.hasEndpoints = await this.deliveries.hasEnabledEndpoints();
          sweptAt = performance.now();
        }
        if (this.hasEndpoints) await this.dispatch();
        this.isFailing = false;
      } catch (error) {
        if (!this.isFailing) this.logger.warn(`Dispatching webhooks failed, retrying each second: ${String(error)}`);
        this.isFailing = true;
      }
      await this.work.wait(withJitter(sweepMs, 0.1));
    }
  }

  /** Claims while Redis accepts jobs: a claimed delivery without a job waits for its lease. */
  private async dispatch(): Promise<void> {
    while (this.queue.isReady && !this.isClosing) {
      const claims = await this.deliveries.claim(limits, claimsPerRound, leaseMs);
      await this.queue.add(
        claims.map(({ delivery, attempt }) => ({ jobId: `${delivery}-${attempt}`, data: { delivery, attempt } })),
      );
      if (claims.length < claimsPerRound) return;
    }
  }
}
