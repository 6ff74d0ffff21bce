import { Module, type DynamicModule } from '@nestjs/common';
import { EventsModule, on, type ConsumerTable } from '#events';
import { IdempotencyKeys } from '#idempotency';
import { type Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { QueueClientModule } from '#request-queue';
import { ChoiceController } from './choices/choice.controller.js';
import { ChoiceEntity } from './choices/choice.entity.js';
import { ChoiceProductEntity } from './choices/choice-product.entity.js';
import { ChoiceQueries } from './choices/choice.queries.js';
import { ChoiceRepository } from './choices/choice.repository.js';
import { ChoiceService } from './choices/choice.service.js';
import type { Env } from './env.js';
import { FavoriteBatcher } from './favorites/favorite.batcher.js';
import { FavoriteController } from './favorites/favorite.controller.js';
import { FavoriteEntity } from './favorites/favorite.entity.js';
import { FavoriteQueries } from './favorites/favorite.queries.js';
import { FavoriteRepository } from './favorites/favorite.repository.js';
import { FavoriteService } from './favorites/favorite.service.js';
import { ProductFavoritesEntity } from './favorites/product-favorites.entity.js';
import { ProductWriteLimiter } from './favorites/product-write.limiter.js';
import { ProductConsumer } from './products/product.consumer.js';
import { ProductRepository } from './products/product.repository.js';
import { UserConsumer } from './users/user.consumer.js';
import { UserRepository } from './users/user.repository.js';

const consumers = {
  'material.deleted': on(ProductConsumer, 'deleteProducts'),
  'user.deleted': on(UserConsumer, 'deleteUserData'),
} satisfies ConsumerTable<'social'>;

/**
 * Favorites and choices of users. Publishes `favorite.placed`, `favorite.withdrawn` and
 * `choice.updated`, consumes the events listed above, and requests products from the catalog
 * service.
 */
@Module({
  controllers: [ChoiceController, FavoriteController],
  providers: [
    ChoiceService,
    ChoiceQueries,
    ChoiceRepository,
    FavoriteService,
    FavoriteQueries,
    FavoriteRepository,
    FavoriteBatcher,
    ProductRepository,
    ProductConsumer,
    UserRepository,
    UserConsumer,
    IdempotencyKeys,
  ],
})
export class SocialModule {
  static with(env: Env, log: Log): DynamicModule {
    return {
      module: SocialModule,
      providers: [{ provide: ProductWriteLimiter, useValue: new ProductWriteLimiter(env.REQUEST_SLOTS) }],
      imports: [
        PersistenceModule.forService({
          service: 'social',
          url: env.DATABASE_URL,
          poolSize: env.DATABASE_POOL_SIZE,
          entities: [ChoiceEntity, ChoiceProductEntity, FavoriteEntity, ProductFavoritesEntity],
        }),
        EventsModule.forService({
          service: 'social',
          databaseUrl: env.DATABASE_URL,
          jobsUrl: env.REDIS_JOBS_URL,
          requestsUrl: env.REDIS_REQUESTS_URL,
          log,
          consumers,
        }),
        QueueClientModule.forApp({
          app: 'social',
          redisUrl: env.REDIS_REQUESTS_URL,
          cacheBytes: env.RESPONSE_CACHE_MB * 1024 ** 2,
        }),
      ],
    };
  }
}
