import { Controller, type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { withTimeout } from '#concurrency';
import { readiness } from '#observability';
import { Database, type DataSourceOptionsOf, serviceDataSource } from './database.js';
import { poolOf, observePool } from './pool-metrics.js';
import { isReachable } from './database-probe.js';

const closeTimeoutMs = 1_000;

/** A service is healthy when its database replies. */
@Controller()
class HealthController {
  constructor(private readonly database: Database) {}

  @MessagePattern('health.check')
  async check(): Promise<{ status: 'ok' }> {
    await isReachable(this.database);
    return { status: 'ok' };
  }
}

/**
 * Module that connects a service to its schema and handles `health.check`. It disconnects last,
 * after all handlers have ended.
 */
@Module({})
export class PersistenceModule implements OnApplicationShutdown {
  private readonly stopObservers: readonly (() => void)[];

  constructor(private readonly database: Database) {
    this.stopObservers = [
      observePool(poolOf(database.source)),
      readiness.addCheck('database', () => isReachable(database)),
    ];
  }

  static forService(options: DataSourceOptionsOf): DynamicModule {
    return {
      module: PersistenceModule,
      global: true,
      controllers: [HealthController],
      providers: [
        {
          provide: Database,
          useFactory: async () => new Database(await serviceDataSource(options).initialize()),
        },
      ],
      exports: [Database],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    for (const stop of this.stopObservers) stop();
    const closed = this.database.source.destroy();
    // `destroy` waits for abandoned statements too, when the database does not reply
    await withTimeout(closed, closeTimeoutMs, () => undefined);
  }
}
