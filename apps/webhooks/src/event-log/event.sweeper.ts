import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DeliveryRepository } from '../deliveries/delivery.repository.js';
import { WebhooksEnv } from '../env.js';
import { EventRepository } from './event.repository.js';

const sweepIntervalMs = 600_000;

/**
 * Deletes old events, old deliveries and those of deleted endpoints. Appends events whose earlier
 * event has not arrived for an hour, because an operator has removed its job or a backup was
 * restored. Any number of processes may sweep concurrently.
 */
@Injectable()
export class EventSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('EventSweeper');
  private timer: NodeJS.Timeout | undefined;
  private isShuttingDown = false;
  private readonly days: number;

  constructor(
    private readonly events: EventRepository,
    private readonly deliveries: DeliveryRepository,
    { EVENT_LOG_DAYS }: WebhooksEnv,
  ) {
    this.days = EVENT_LOG_DAYS;
  }

  onApplicationBootstrap(): void {
    const sweep = (): void => {
      this.sweep().catch((error: unknown) => {
        this.log.warn(`Sweeping the event log failed, retrying in 10 minutes: ${String(error)}`);
      });
    };
    sweep();
    this.timer = setInterval(sweep, sweepIntervalMs).unref();
  }

  onModuleDestroy(): void {
    this.isShuttingDown = true;
    clearInterval(this.timer);
  }

  async sweep(): Promise<void> {
    const overdue = await this.events.appendOverdue();
    if (overdue > 0)
      this.log.warn(`Appended ${overdue} events whose earlier event has not arrived for an hour: it is missing`);
    await this.deliveries.markWithoutApplication();
    while (!this.isShuttingDown && (await this.deliveries.deleteOfDeletedEndpoints()));
    while (!this.isShuttingDown && (await this.deliveries.deleteOldest()));
    while (!this.isShuttingDown && (await this.events.deleteOldest(this.days)));
    while (!this.isShuttingDown && (await this.events.deleteEndedResources(this.days)));
  }
}
