import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { serviceNames } from '#contracts';
import type { Log } from '#observability';
import { NoticeListener, QueueClientModule } from '#request-queue';
import { BlobStore, openBlobStore } from '#storage';
import { AccountController } from './account/account.controller.js';
import { CredentialsController } from './account/credentials.controller.js';
import { LeaveController } from './account/leave.controller.js';
import { ProfileController } from './account/profile.controller.js';
import { ActivityController } from './activities/activity.controller.js';
import { ApplicationController } from './applications/application.controller.js';
import { ApplicationRemovalController } from './applications/application-removal.controller.js';
import { ApplicationSecretController } from './applications/application-secret.controller.js';
import { GrantController } from './applications/grant.controller.js';
import { KeyController } from './applications/key.controller.js';
import { Admission } from './admission/admission.js';
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
import { Departure } from './http/departure.js';
import { LargeBodies } from './http/large-bodies.js';
import { OpenRequests } from './http/open-requests.js';
import { ProblemFilter } from './http/problem.filter.js';
import { ProblemWriter } from './http/problem-writer.js';
import { IdentityController } from './identities/identity.controller.js';
import { Providers } from './identities/providers.js';
import { SignInWithController } from './identities/sign-in-with.controller.js';
import { SignUpWithController } from './identities/sign-up-with.controller.js';
import { ItemController } from './items/item.controller.js';
import { MaterialController } from './materials/material.controller.js';
import { TextureUploads } from './materials/texture-uploads.js';
import { CallGuard } from './operations/call.guard.js';
import { RouteCheck } from './operations/route-check.js';
import { AuthorizeController } from './oauth/authorize.controller.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { AssetController } from './pages/asset.controller.js';
import { Cookies } from './pages/cookies.js';
import { ErrorPage } from './pages/error-page.js';
import { LanguageController } from './pages/language.controller.js';
import { PageRenderer } from './pages/page-renderer.js';
import { VisitGuard } from './pages/visit.guard.js';
import { ImageUses } from './pictures/image-uses.js';
import { PictureController } from './pictures/picture.controller.js';
import { ProblemController } from './problems/problem.controller.js';
import { ProductController } from './products/product.controller.js';
import { RateLimitGuard } from './rate-limits/rate-limit.guard.js';
import { RateLimiter } from './rate-limits/rate-limiter.js';
import { RateLimits } from './rate-limits/rate-limits.js';
import { Documents } from './schema/documents.js';
import { SchemaController } from './schema/schema.controller.js';
import { FrontController } from './shop/front.controller.js';
import { MakerController } from './shop/maker.controller.js';
import { ProductPageController } from './shop/product-page.controller.js';
import { ShopSite } from './shop/site.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignUpController } from './sign-up/sign-up.controller.js';
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
        LeaveController,
        MakerController,
        MaterialController,
        OAuthController,
        PictureController,
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
        { provide: APP_GUARD, useExisting: VisitGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        Admission,
        Authentication,
        Cookies,
        Departure,
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
        TokenBook,
        TokenStrategy,
        VisitGuard,
      ],
    };
  }
}
