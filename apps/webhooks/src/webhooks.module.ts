import { Module, type DynamicModule } from '@nestjs/common';
import { EventsModule, on, type ConsumerTable } from '#events';
import { type Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { AttemptEntity } from './deliveries/attempt.entity.js';
import { DeliveryEntity } from './deliveries/delivery.entity.js';
import { EndpointEntity } from './endpoints/endpoint.entity.js';
import { WebhooksEnv } from './env.js';
import { EventConsumer } from './event-log/event.consumer.js';
import { EventController } from './event-log/event.controller.js';
import { EventEntity } from './event-log/event.entity.js';
import { EventQueries } from './event-log/event.queries.js';
import { EventRepository } from './event-log/event.repository.js';
import { EventSweeper } from './event-log/event.sweeper.js';
import { UserConsumer } from './users/user.consumer.js';

const append = on(EventConsumer, 'append');

const consumers = {
  'material.created': append,
  'material.updated': append,
  'material.deleted': append,
  'material.rendered': append,
  'product.published': append,
  'product.unpublished': append,
  'sale.recorded': append,
  'favorite.placed': append,
  'favorite.withdrawn': append,
  'choice.updated': append,
  'activity.created': append,
  'application.revoked': append,
  'user.deleted': on(UserConsumer, 'deleteUserData'),
} satisfies ConsumerTable<'webhooks'>;

/** Webhooks service: the log of the events for clients. Consumes the events listed above. */
@Module({
  controllers: [EventController],
  providers: [EventQueries, EventRepository, EventConsumer, EventSweeper, UserConsumer],
})
export class WebhooksModule {
  static with(env: WebhooksEnv, log: Log): DynamicModule {
    return {
      module: WebhooksModule,
      imports: [
        PersistenceModule.forService({
          service: 'webhooks',
          url: env.DATABASE_URL,
          poolSize: env.DATABASE_POOL_SIZE,
          entities: [EventEntity, EndpointEntity, DeliveryEntity, AttemptEntity],
        }),
        EventsModule.forService({
          service: 'webhooks',
          databaseUrl: env.DATABASE_URL,
          jobsUrl: env.REDIS_JOBS_URL,
          requestsUrl: env.REDIS_REQUESTS_URL,
          log,
          consumers,
        }),
      ],
      providers: [{ provide: WebhooksEnv, useValue: env }],
    };
  }
}
