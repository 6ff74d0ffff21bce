import { Module, type DynamicModule } from '@nestjs/common';
import { EventsModule, on, type ConsumerTable } from '#events';
import { IdempotencyKeys } from '#idempotency';
import { Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { AttemptEntity } from './deliveries/attempt.entity.js';
import { DeliveryDispatcher } from './deliveries/delivery.dispatcher.js';
import { DeliveryEntity } from './deliveries/delivery.entity.js';
import { DeliveryQueries } from './deliveries/delivery.queries.js';
import { DeliveryRepository } from './deliveries/delivery.repository.js';
import { DeliveryService } from './deliveries/delivery.service.js';
import { WebhookClient } from './deliveries/webhook.client.js';
import { DeliveryLogController } from './delivery-log/delivery-log.controller.js';
import { DeliveryLogQueries } from './delivery-log/delivery-log.queries.js';
import { ReplayRepository } from './delivery-log/replay.repository.js';
import { ReplayService } from './delivery-log/replay.service.js';
import { EndpointController } from './endpoints/endpoint.controller.js';
import { EndpointEntity } from './endpoints/endpoint.entity.js';
import { EndpointQueries } from './endpoints/endpoint.queries.js';
import { EndpointRepository } from './endpoints/endpoint.repository.js';
import { EndpointService } from './endpoints/endpoint.service.js';
import { WebhookSecretCipher } from './endpoints/webhook-secret.crypto.js';
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

/** Deadline of an attempt. */
const attemptTimeoutMs = 15_000;

/**
 * Webhooks service: the log of the events for clients, the webhook endpoints that receive them, and
 * their delivery. Consumes the events listed above.
 */
@Module({
  controllers: [EventController, EndpointController, DeliveryLogController],
  providers: [
    EventQueries,
    EventRepository,
    EventConsumer,
    EventSweeper,
    EndpointService,
    EndpointQueries,
    EndpointRepository,
    ReplayService,
    ReplayRepository,
    DeliveryLogQueries,
    DeliveryQueries,
    DeliveryRepository,
    DeliveryService,
    DeliveryDispatcher,
    UserConsumer,
    IdempotencyKeys,
  ],
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
      providers: [
        { provide: WebhooksEnv, useValue: env },
        { provide: Log, useValue: log },
        { provide: WebhookSecretCipher, useValue: new WebhookSecretCipher(env.WEBHOOK_ENCRYPTION_SECRET) },
        {
          provide: WebhookClient,
          useValue: new WebhookClient({ allowedHosts: env.WEBHOOK_ALLOWED_HOSTS, timeoutMs: attemptTimeoutMs }),
        },
      ],
    };
  }
}
