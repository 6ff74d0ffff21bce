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
import { mayHaveTold } from './outbox.js';
import { Relay } from './relay.js';

/** `EventsOptions` of any service, as the module sees them. */
interface Settings extends RelayOptions, ConsumerOptions {
  readonly consumers: Readonly<Record<string, ConsumerEntry<unknown>>>;
  readonly relay: boolean;
  readonly consume: boolean;
}

const SETTINGS = Symbol('settings of EventsModule');

/**
 * The events of a service: what it says leaves through the relay, what it listens to arrives at its consumers. Consumers
 * stop while the database is still connected; the relay stops last and looks once more for what the last requests wrote.
 */
@Module({})
export class EventsModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private relay: Relay | undefined;
  private worker: EventWorker | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly modules: ModuleRef,
    private readonly database: Database,
  ) {
    checkTable(settings.service, settings.consumers);
  }

  static forService<Service extends ServiceName>(options: EventsOptions<Service>): DynamicModule {
    const settings: Settings = { relay: true, consume: true, ...options, consumers: { ...options.consumers } };
    return { module: EventsModule, global: true, providers: [{ provide: SETTINGS, useValue: settings }] };
  }

  onApplicationBootstrap(): void {
    const { settings } = this;
    if (settings.relay) {
      const relay = new Relay(settings);
      // The process that writes an event carries it; the others find it in their sweep when it cannot
      this.database.onCommit((statement) => {
        if (mayHaveTold(statement)) relay.wake();
      });
      relay.start();
      this.relay = relay;
    }
    if (settings.consume && Object.keys(settings.consumers).length > 0) {
      this.worker = new EventWorker(settings, findConsumers(settings.consumers, this.modules), this.database);
      this.worker.start();
      // Not only when it is this module's turn: requests drain first, and the consumers may end in that time too
      shutdownSignal.addEventListener('abort', this.stopConsuming);
    }
  }

  /** What fails is told by `onModuleDestroy`, which waits for the same end. */
  private readonly stopConsuming = (): void => void this.worker?.close().catch(() => undefined);

  async onModuleDestroy(): Promise<void> {
    shutdownSignal.removeEventListener('abort', this.stopConsuming);
    await this.worker?.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.relay?.close();
  }
}
