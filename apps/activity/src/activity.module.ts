import { Module, type DynamicModule } from '@nestjs/common';
import { EventsModule, on, type ConsumerTable } from '#events';
import { dateTimeWriter, systemClock } from '#kernel';
import { type Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { QueueBoardModule } from '#queue-board';
import { ActivitySweeper } from './activities/activity.sweeper.js';
import { ActivityJson } from './activities/activity.json.js';
import { ActivityConsumer } from './activities/activity.consumer.js';
import { ActivityController } from './activities/activity.controller.js';
import { ActivityEntity } from './activities/activity.entity.js';
import { ActivityQueries } from './activities/activity.queries.js';
import { ActivityRepository } from './activities/activity.repository.js';
import { ActivityEnv } from './env.js';
import { UserConsumer } from './users/user.consumer.js';

const consumers = {
  'favorite.placed': on(ActivityConsumer, 'addFavoriteActivity'),
  'material.rendered': on(ActivityConsumer, 'addRenderingActivity'),
  'sale.recorded': on(ActivityConsumer, 'addSaleActivity'),
  'webhook.disabled': on(ActivityConsumer, 'addWebhookActivity'),
  'user.deleted': on(UserConsumer, 'deleteUserData'),
} satisfies ConsumerTable<'activity'>;

/**
 * Activity service: notifications to users about favorites, sales, rendered materials and disabled
 * webhook endpoints. Consumes the events listed above and publishes `activity.created`. It does not
 * consume `favorite.withdrawn`, because the activity of a favorite remains after the favorite is
 * withdrawn.
 */
@Module({
  controllers: [ActivityController],
  providers: [ActivityQueries, ActivityRepository, ActivityConsumer, ActivitySweeper, UserConsumer],
})
export class ActivityModule {
  static with(env: ActivityEnv, log: Log): DynamicModule {
    const activityJson = new ActivityJson(dateTimeWriter(env.DATE_TIME_FORMAT, env.TIME_ZONE), systemClock);
    return {
      module: ActivityModule,
      imports: [
        PersistenceModule.forService({
          service: 'activity',
          url: env.DATABASE_URL,
          poolSize: env.DATABASE_POOL_SIZE,
          entities: [ActivityEntity],
        }),
        EventsModule.forService({
          service: 'activity',
          databaseUrl: env.DATABASE_URL,
          jobsUrl: env.REDIS_JOBS_URL,
          requestsUrl: env.REDIS_REQUESTS_URL,
          log,
          consumers,
        }),
        // Shows the queues of all services, so that one board suffices
        QueueBoardModule.with({ password: env.QUEUE_BOARD_PASSWORD, jobsUrl: env.REDIS_JOBS_URL }),
      ],
      providers: [
        { provide: ActivityEnv, useValue: env },
        { provide: ActivityJson, useValue: activityJson },
      ],
    };
  }
}
