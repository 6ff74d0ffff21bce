import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type ServiceName } from '#contracts';
import { shutdownSignal } from '#observability';
import { Database } from '#persistence';
import { checkTable, type ConsumerEntry, findConsumers } from './consumer-table.js';
import { EventWorker } from './event-worker.js';
import { type ConsumerOptions, type EventsOptions, type RelayOptions } from './options.js';
import { mayAppendEvent, OutboxSignal } from './outbox.js';
import { Relay } from './relay/relay.js';

/** `EventsOptions` of any service, with defaults. */
interface Settings extends RelayOptions, ConsumerOptions {
  readonly consumers: Readonly<Record<string, ConsumerEntry<unknown>>>;
  readonly relay: boolean;
  readonly consume: boolean;
}

const SETTINGS = Symbol('settings of EventsModule');

/**
 * Module for the events of a service: the relay publishes its events, the worker passes events of
 * its subscriptions to their consumers. At shutdown the worker stops while the database is still
 * connected. The relay stops last, after a round for the events of the last requests.
 */
@Module({})
export class EventsModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private relay: Relay | undefined;
  private worker: EventWorker | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly modules: ModuleRef,
    private readonly database: Database,
    private readonly outbox: OutboxSignal,
  ) {
    checkTable(settings.service, settings.consumers);
  }

  static forService<Service extends ServiceName>(options: EventsOptions<Service>): DynamicModule {
    const settings: Settings = { relay: true, consume: true, ...options, consumers: { ...options.consumers } };
    const providers = [{ provide: SETTINGS, useValue: settings }, OutboxSignal];
    return { module: EventsModule, global: true, providers, exports: [OutboxSignal] };
  }

  onApplicationBootstrap(): void {
    const { settings } = this;
    if (settings.relay) {
      const relay = new Relay(settings);
      // The process that writes an event publishes it. If that process cannot, the sweep of another
      // process finds the event
      this.database.onCommit((statement) => {
        if (mayAppendEvent(statement)) relay.wake();
      });
      this.outbox.onAppended(() => relay.wake());
      relay.start();
      this.relay = relay;
    }
    if (settings.consume && Object.keys(settings.consumers).length > 0) {
      this.worker = new EventWorker(settings, findConsumers(settings.consumers, this.modules), this.database);
      this.worker.start();
      // Earlier than onModuleDestroy: consumers can finish while the requests drain
      shutdownSignal.addEventListener('abort', this.stopConsuming);
    }
  }

  /** Ignores errors, because `onModuleDestroy` awaits the same promise and throws them. */
  private readonly stopConsuming = (): void => void this.worker?.close().catch(() => undefined);

  async onModuleDestroy(): Promise<void> {
    shutdownSignal.removeEventListener('abort', this.stopConsuming);
    await this.worker?.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.relay?.close();
  }
}
