import { Module, type DynamicModule } from '@nestjs/common';
import { type ConsumerTable, EventsModule, on } from '#events';
import { IdempotencyKeys } from '#idempotency';
import { type Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { BroadcastListener, QueueClientModule } from '#request-queue';
import { type Env, settingsOf } from './env.js';
import { ItemCache } from './items/item.cache.js';
import { ItemConsumer } from './items/item.consumer.js';
import { ItemController } from './items/item.controller.js';
import { itemEntities } from './items/item.entity.js';
import { ItemQueries } from './items/item.queries.js';
import { ImportedItemQueries } from './items/imported-item.queries.js';
import { ItemImportRepository } from './items/item-import.repository.js';
import { ItemRepository } from './items/item.repository.js';
import { ItemService } from './items/item.service.js';
import { MaterialController } from './materials/material.controller.js';
import { MaterialEntity } from './materials/material.entity.js';
import { MaterialQueries } from './materials/material.queries.js';
import { MaterialRepository } from './materials/material.repository.js';
import { MaterialService } from './materials/material.service.js';
import { ImageSourceQueries } from './materials/image-source.queries.js';
import { TextureUseQueries } from './materials/texture-use.queries.js';
import { PrintFileController } from './print-files/print-file.controller.js';
import { PrintFileService } from './print-files/print-file.service.js';
import { PrintedProductQueries } from './print-files/printed-product.queries.js';
import { PreflightController } from './preflight/preflight.controller.js';
import { PreflightService } from './preflight/preflight.service.js';
import { PreviewController } from './previews/preview.controller.js';
import { PreviewService } from './previews/preview.service.js';
import { PreviewSourceQueries } from './previews/preview-source.queries.js';
import { PurchaseController } from './purchases/purchase.controller.js';
import { PurchaseRepository } from './purchases/purchase.repository.js';
import { PurchaseService } from './purchases/purchase.service.js';
import { ProductController } from './products/product.controller.js';
import { ProductEntity } from './products/product.entity.js';
import { CacheValidator } from './products/caching/cache-validator.queries.js';
import { ReplyValidationService } from './products/caching/reply-validation.service.js';
import { ReplyValidity } from './products/caching/reply-validity.rules.js';
import { ResponseCache } from './products/caching/response.cache.js';
import { ProductFactsQueries } from './products/product-facts.queries.js';
import { ProductQueries } from './products/product.queries.js';
import { SearchColumnsSweeper } from './products/search-columns.sweeper.js';
import { ProductJsonCache } from './products/caching/product-json.cache.js';
import { SaleCache } from './sales/sale.cache.js';
import { SaleController } from './sales/sale.controller.js';
import { SaleEntity } from './sales/sale.entity.js';
import { SaleQueries } from './sales/sale.queries.js';
import { SaleRepository } from './sales/sale.repository.js';
import { SaleService } from './sales/sale.service.js';
import { SitemapController } from './sitemaps/sitemap.controller.js';
import { SitemapQueries } from './sitemaps/sitemap.queries.js';
import { CatalogSettings } from './catalog.settings.js';
import { BannerEntity } from './storefront/banner.entity.js';
import { PromotionEntity } from './storefront/promotion.entity.js';
import { StorefrontController } from './storefront/storefront.controller.js';
import { StorefrontQueries } from './storefront/storefront.queries.js';
import { StorefrontRepository } from './storefront/storefront.repository.js';
import { UserConsumer } from './users/user.consumer.js';
import { UserRepository } from './users/user.repository.js';

const consumers = {
  'item.updated': on(ItemConsumer, 'renderProducts'),
  'user.deleted': on(UserConsumer, 'deleteUserData'),
} satisfies ConsumerTable<'catalog'>;

/**
 * Items, materials, products, sales, purchases, banners and promotions. Publishes `items.changed`,
 * `item.updated`, `images.outdated`,
 * `material.created`, `material.updated`, `material.deleted`, `product.published`,
 * `product.unpublished`, `user.materials-deleted`, `sales.changed`, `sale.recorded` and
 * `production.requested`. Consumes the events listed above. Calls material-rendering to store
 * textures, to render texts and to prepare artworks of previews.
 */
@Module({
  controllers: [
    ItemController,
    MaterialController,
    PreflightController,
    PreviewController,
    PrintFileController,
    ProductController,
    PurchaseController,
    SaleController,
    SitemapController,
    StorefrontController,
  ],
  providers: [
    ItemConsumer,
    ItemService,
    ItemRepository,
    ItemImportRepository,
    ImportedItemQueries,
    ItemQueries,
    ItemCache,
    MaterialService,
    MaterialRepository,
    MaterialQueries,
    ImageSourceQueries,
    TextureUseQueries,
    PreflightService,
    PreviewService,
    PrintFileService,
    PrintedProductQueries,
    PreviewSourceQueries,
    CacheValidator,
    ReplyValidationService,
    ResponseCache,
    ProductJsonCache,
    ProductQueries,
    ProductFactsQueries,
    PurchaseService,
    PurchaseRepository,
    SearchColumnsSweeper,
    SaleService,
    SaleRepository,
    SaleQueries,
    SaleCache,
    SitemapQueries,
    StorefrontRepository,
    StorefrontQueries,
    UserRepository,
    UserConsumer,
    IdempotencyKeys,
  ],
})
export class CatalogModule {
  static with(env: Env, log: Log): DynamicModule {
    const requests = { redisUrl: env.REDIS_REQUESTS_URL, log };
    return {
      module: CatalogModule,
      imports: [
        PersistenceModule.forService({
          service: 'catalog',
          url: env.DATABASE_URL,
          poolSize: env.DATABASE_POOL_SIZE,
          entities: [...itemEntities, MaterialEntity, ProductEntity, SaleEntity, BannerEntity, PromotionEntity],
        }),
        QueueClientModule.forApp({ app: 'catalog', ...requests }),
        EventsModule.forService({
          service: 'catalog',
          databaseUrl: env.DATABASE_URL,
          jobsUrl: env.REDIS_JOBS_URL,
          requestsUrl: env.REDIS_REQUESTS_URL,
          log,
          consumers,
        }),
      ],
      providers: [
        { provide: CatalogSettings, useValue: settingsOf(env) },
        { provide: ReplyValidity, useValue: new ReplyValidity(settingsOf(env)) },
        { provide: BroadcastListener, useValue: new BroadcastListener(requests) },
      ],
    };
  }
}
