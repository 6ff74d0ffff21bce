import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { serviceNames } from '#contracts';
import type { Log } from '#observability';
import { NoticeListener, QueueClientModule } from '#request-queue';
import { FolderBlobStore, openBlobStore } from '#storage';
import { ActivityController } from './activities/activity.controller.js';
import { Authentication } from './authentication/authentication.js';
import { TokenBook } from './authentication/token-book.js';
import { TokenGuard } from './authentication/token.guard.js';
import { TokenStrategy } from './authentication/token.strategy.js';
import { ChoiceController } from './choices/choice.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { PageWriter } from './docs/page-writer.js';
import { GATEWAY_ENV, type GatewayEnv } from './env.js';
import { FavoriteController } from './favorites/favorite.controller.js';
import { GATEWAY_LOG } from './gateway-log.js';
import { HealthController } from './health/health.controller.js';
import { LargeBodies } from './http/large-bodies.js';
import { ProblemFilter } from './http/problem.filter.js';
import { ProblemWriter } from './http/problem-writer.js';
import { ItemController } from './items/item.controller.js';
import { MaterialController } from './materials/material.controller.js';
import { TextureUploads } from './materials/texture-uploads.js';
import { CallGuard } from './operations/call.guard.js';
import { RouteCheck } from './operations/route-check.js';
import { PictureController } from './pictures/picture.controller.js';
import { ProblemController } from './problems/problem.controller.js';
import { ProductController } from './products/product.controller.js';
import { RateLimitGuard } from './rate-limits/rate-limit.guard.js';
import { RateLimiter } from './rate-limits/rate-limiter.js';
import { RateLimits } from './rate-limits/rate-limits.js';
import { Documents } from './schema/documents.js';
import { SchemaController } from './schema/schema.controller.js';
import { StorefrontController } from './storefront/storefront.controller.js';
import { UserController } from './users/user.controller.js';

/** The HTTPS edge: what it answers, and what every request passes. */
@Module({})
export class GatewayModule {
  static with(env: GatewayEnv, log: Log, problemWriter: ProblemWriter): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        PassportModule,
        DiscoveryModule,
        QueueClientModule.forApp({ redisUrl: env.REDIS_REQUESTS_URL, services: serviceNames, log }),
      ],
      controllers: [
        ActivityController,
        ChoiceController,
        DocsController,
        FavoriteController,
        HealthController,
        ItemController,
        MaterialController,
        PictureController,
        ProblemController,
        ProductController,
        SchemaController,
        StorefrontController,
        UserController,
      ],
      providers: [
        { provide: GATEWAY_ENV, useValue: env },
        { provide: GATEWAY_LOG, useValue: log },
        { provide: ProblemWriter, useValue: problemWriter },
        { provide: FolderBlobStore, useFactory: () => openBlobStore(env.BLOB_STORE_URL) },
        { provide: NoticeListener, useFactory: () => new NoticeListener({ redisUrl: env.REDIS_REQUESTS_URL, log }) },
        { provide: RateLimits, useValue: env.RATE_LIMITS },
        // In this order: who asks, whether the request has the right shape, whether it is one too many
        { provide: APP_GUARD, useClass: TokenGuard },
        { provide: APP_GUARD, useClass: CallGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        Authentication,
        Documents,
        LargeBodies,
        PageWriter,
        RateLimiter,
        RouteCheck,
        TextureUploads,
        TokenBook,
        TokenStrategy,
      ],
    };
  }
}
