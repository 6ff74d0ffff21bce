import { Module, type DynamicModule } from '@nestjs/common';
import { EventsModule, on, type ConsumerTable } from '#events';
import { PersistenceModule } from '#persistence';
import { QueueClientModule } from '#request-queue';
import type { Env } from './env.js';
import { FavoriteConsumer } from './favorites/favorite.consumer.js';
import { FavoriteController } from './favorites/favorite.controller.js';
import { FavoriteEntity } from './favorites/favorite.entity.js';
import { FavoriteRepository } from './favorites/favorite.repository.js';
import { FavoriteService } from './favorites/favorite.service.js';
import { ProductFavoritesEntity } from './favorites/product-favorites.entity.js';

const consumers = {
  'material.deleted': on(FavoriteConsumer, 'dropOfDeletedMaterial'),
} satisfies ConsumerTable<'social'>;

/** What users say about products. Says `favorite.placed`, listens to what is listed above. */
@Module({
  controllers: [FavoriteController],
  providers: [FavoriteService, FavoriteRepository, FavoriteConsumer],
})
export class SocialModule {
  static with(env: Env): DynamicModule {
    return {
      module: SocialModule,
      imports: [
        PersistenceModule.forService({
          service: 'social',
          url: env.DATABASE_URL,
          poolSize: env.DATABASE_POOL_SIZE,
          entities: [FavoriteEntity, ProductFavoritesEntity],
        }),
        EventsModule.forService({
          service: 'social',
          databaseUrl: env.DATABASE_URL,
          jobsUrl: env.REDIS_JOBS_URL,
          requestsUrl: env.REDIS_REQUESTS_URL,
          consumers,
        }),
        QueueClientModule.forApp({ redisUrl: env.REDIS_REQUESTS_URL, services: ['catalog'] }),
      ],
    };
  }
}
