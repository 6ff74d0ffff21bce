import { Controller, type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { withTimeout } from '#concurrency';
import { readiness } from '#observability';
import { Database, type DataSourceOptionsOf, serviceDataSource } from './database.js';
import { poolOf, watchPool } from './pool-metrics.js';
import { isReachable } from './reachable.js';

const endWithinMs = 1_000;

/** A service is healthy when its database answers. */
@Controller()
class HealthController {
  constructor(private readonly database: Database) {}

  @MessagePattern('health.check')
  async check(): Promise<{ status: 'ok' }> {
    await isReachable(this.database);
    return { status: 'ok' };
  }
}

/** Connects a service to its schema, answers `health.check`, and disconnects last, after all handlers have ended. */
@Module({})
export class PersistenceModule implements OnApplicationShutdown {
  private readonly watched: readonly (() => void)[];

  constructor(private readonly database: Database) {
    this.watched = [watchPool(poolOf(database.source)), readiness.addCheck('database', () => isReachable(database))];
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
    for (const forget of this.watched) forget();
    const ended = this.database.source.destroy();
    // It waits for statements that nobody waits for any more, when the database is silent
    await withTimeout(ended, endWithinMs, () => undefined);
  }
}
