import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { serviceNames } from '#contracts';
import type { Log } from '#observability';
import { NoticeListener, QueueClientModule } from '#request-queue';
import { BlobStore, openBlobStore } from '#storage';
import { AccountController } from './site/account/account.controller.js';
import { CredentialsController } from './site/account/credentials.controller.js';
import { AccountDeletionController } from './site/account/account-deletion.controller.js';
import { ProfileController } from './site/account/profile.controller.js';
import { ActivityController } from './api/activity.controller.js';
import { ApplicationController } from './site/applications/application.controller.js';
import { ApplicationRemovalController } from './site/applications/application-removal.controller.js';
import { ApplicationSecretController } from './site/applications/application-secret.controller.js';
import { GrantController } from './site/applications/grant.controller.js';
import { KeyController } from './site/applications/key.controller.js';
import { Admission } from './edge/admission/admission.js';
import { Authentication } from './edge/authentication/authentication.js';
import { TokenCache } from './edge/authentication/token-cache.js';
import { TokenGuard } from './edge/authentication/token.guard.js';
import { TokenStrategy } from './edge/authentication/token.strategy.js';
import { ChoiceController } from './api/choice.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { PageWriter } from './docs/page-writer.js';
import { GATEWAY_ENV, type GatewayEnv } from './env.js';
import { FavoriteController } from './api/favorite.controller.js';
import { GATEWAY_LOG } from './gateway-log.js';
import { HealthController } from './edge/health.controller.js';
import { GracefulShutdown } from './edge/connections/graceful-shutdown.js';
import { LargeBodies } from './edge/bodies/large-bodies.js';
import { OpenRequests } from './edge/connections/open-requests.js';
import { ProblemFilter } from './edge/errors/problem.filter.js';
import { ProblemWriter } from './edge/errors/problem-writer.js';
import { IdentityController } from './site/identities/identity.controller.js';
import { Providers } from './site/identities/providers.js';
import { SignInWithController } from './site/identities/sign-in-with.controller.js';
import { SignUpWithController } from './site/identities/sign-up-with.controller.js';
import { ItemController } from './api/item.controller.js';
import { MaterialController } from './api/material.controller.js';
import { TextureUploads } from './api/texture-uploads.js';
import { CallGuard } from './edge/routing/call.guard.js';
import { RouteCheck } from './edge/routing/route-check.js';
import { AuthorizeController } from './site/oauth/authorize.controller.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { AssetController } from './site/pages/asset.controller.js';
import { Cookies } from './site/pages/cookies.js';
import { ErrorPage } from './site/pages/error-page.js';
import { LanguageController } from './site/pages/language.controller.js';
import { PageRenderer } from './site/pages/page-renderer.js';
import { PageGuard } from './site/pages/page.guard.js';
import { ImageUses } from './images/image-uses.js';
import { ImageController } from './images/image.controller.js';
import { ProblemController } from './docs/problem.controller.js';
import { ProductController } from './api/product.controller.js';
import { RateLimitGuard } from './edge/rate-limits/rate-limit.guard.js';
import { RateLimiter } from './edge/rate-limits/rate-limiter.js';
import { RateLimits } from './edge/rate-limits/rate-limits.js';
import { Documents } from './schema/documents.js';
import { SchemaController } from './schema/schema.controller.js';
import { FrontController } from './site/shop/front.controller.js';
import { CreatorController } from './site/shop/creator.controller.js';
import { ProductPageController } from './site/shop/product-page.controller.js';
import { ShopSite } from './site/shop/shop-site.js';
import { SignInController } from './site/sign-in/sign-in.controller.js';
import { SignUpController } from './site/sign-in/sign-up.controller.js';
import { StorefrontController } from './api/storefront.controller.js';
import { UserController } from './api/user.controller.js';

/** The HTTPS edge: what it answers, and what every request passes. */
@Module({})
export class GatewayModule {
  static with(env: GatewayEnv, log: Log, problemWriter: ProblemWriter): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        PassportModule,
        DiscoveryModule,
        QueueClientModule.forApp({
          app: 'gateway',
          redisUrl: env.REDIS_REQUESTS_URL,
          services: serviceNames,
          log,
          keptBytes: env.KEPT_ANSWERS_MB * 1024 ** 2,
        }),
      ],
      controllers: [
        AccountController,
        ActivityController,
        ApplicationController,
        ApplicationRemovalController,
        ApplicationSecretController,
        AssetController,
        AuthorizeController,
        ChoiceController,
        CredentialsController,
        DocsController,
        FavoriteController,
        FrontController,
        GrantController,
        HealthController,
        IdentityController,
        ItemController,
        KeyController,
        LanguageController,
        AccountDeletionController,
        CreatorController,
        MaterialController,
        OAuthController,
        ImageController,
        ProblemController,
        ProfileController,
        ProductController,
        ProductPageController,
        SchemaController,
        SignInController,
        SignInWithController,
        SignUpController,
        SignUpWithController,
        StorefrontController,
        UserController,
      ],
      providers: [
        { provide: GATEWAY_ENV, useValue: env },
        { provide: GATEWAY_LOG, useValue: log },
        { provide: ProblemWriter, useValue: problemWriter },
        { provide: BlobStore, useFactory: () => openBlobStore(env.BLOB_STORE_URL, env) },
        { provide: NoticeListener, useFactory: () => new NoticeListener({ redisUrl: env.REDIS_REQUESTS_URL, log }) },
        { provide: RateLimits, useValue: env.RATE_LIMITS },
        // In this order: who asks, whether the request has the right shape, whether it is one too many; for
        // pages, who looks at them
        { provide: APP_GUARD, useClass: TokenGuard },
        { provide: APP_GUARD, useClass: CallGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useExisting: PageGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        Admission,
        Authentication,
        Cookies,
        GracefulShutdown,
        Documents,
        ErrorPage,
        ImageUses,
        LargeBodies,
        OpenRequests,
        PageRenderer,
        PageWriter,
        Providers,
        RateLimiter,
        RouteCheck,
        ShopSite,
        TextureUploads,
        TokenCache,
        TokenStrategy,
        PageGuard,
      ],
    };
  }
}
