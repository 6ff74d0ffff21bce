import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { EdgeModule } from '../edge/edge.module.js';
import { AccountController } from './account/account.controller.js';
import { AccountDeletionController } from './account/account-deletion.controller.js';
import { CredentialsController } from './account/credentials.controller.js';
import { ProfileController } from './account/profile.controller.js';
import { ActivitiesController } from './activities/activities.controller.js';
import { ApplicationController } from './applications/application.controller.js';
import { ApplicationRemovalController } from './applications/application-removal.controller.js';
import { ApplicationSecretController } from './applications/application-secret.controller.js';
import { ConsentListController } from './applications/consent-list.controller.js';
import { KeyController } from './applications/key.controller.js';
import { ChoiceEditorController } from './choices/choice-editor.controller.js';
import { ChoicePageController } from './choices/choice-page.controller.js';
import { FavoritePageController } from './favorites/favorite-page.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { GuideController } from './docs/guide.controller.js';
import { ProblemController } from './docs/problem.controller.js';
import { CreatorFeedController } from './feeds/creator-feed.controller.js';
import { OembedController } from './feeds/oembed.controller.js';
import { SitemapController } from './feeds/sitemap.controller.js';
import { IdentityController } from './identities/identity.controller.js';
import { ProviderView } from './identities/provider.view.js';
import { SignInWithController } from './identities/sign-in-with.controller.js';
import { SignUpWithController } from './identities/sign-up-with.controller.js';
import { FormUploadStore } from './materials/form-upload.store.js';
import { MaterialCreationController } from './materials/material-creation.controller.js';
import { MaterialPageController } from './materials/material-page.controller.js';
import { RenderedImageStore } from './materials/rendered-image.store.js';
import { ProductEditorController } from './materials/product-editor.controller.js';
import { AuthorizeController } from './oauth/authorize.controller.js';
import { AssetController } from './pages/asset.controller.js';
import { Cookies } from './pages/cookies.js';
import { ErrorPageFilter } from './pages/error-page.filter.js';
import { FormDrafts } from './pages/form-drafts.js';
import { LanguageController } from './pages/language.controller.js';
import { PageGuard } from './pages/page.guard.js';
import { PageRenderer } from './pages/page-renderer.js';
import { RobotsController } from './pages/robots.controller.js';
import { EmailConfirmationController } from './recovery/email-confirmation.controller.js';
import { RecoveryController } from './recovery/recovery.controller.js';
import { BannerStore } from './shop/banner.store.js';
import { CreatorController } from './shop/creator.controller.js';
import { FrontController } from './shop/front.controller.js';
import { ProductCards } from './shop/product-cards.view.js';
import { ProductPageController } from './shop/product-page.controller.js';
import { ShopView } from './shop/shop.view.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignUpController } from './sign-in/sign-up.controller.js';
import { WebhookController } from './webhooks/webhook.controller.js';
import { WebhookListController } from './webhooks/webhook-list.controller.js';
import { WebhookRemovalController } from './webhooks/webhook-removal.controller.js';
import { WebhookSecretController } from './webhooks/webhook-secret.controller.js';

/**
 * Pages of the site: shop, materials, favorites, lists, notifications, sign-in and sign-up,
 * account, applications, webhooks, identities, OAuth consent.
 */
@Module({
  imports: [EdgeModule],
  controllers: [
    AccountController,
    AccountDeletionController,
    ActivitiesController,
    ApplicationController,
    ApplicationRemovalController,
    ApplicationSecretController,
    AssetController,
    AuthorizeController,
    ChoiceEditorController,
    ChoicePageController,
    CreatorController,
    CreatorFeedController,
    CredentialsController,
    DocsController,
    EmailConfirmationController,
    FavoritePageController,
    FrontController,
    ConsentListController,
    GuideController,
    IdentityController,
    KeyController,
    LanguageController,
    MaterialCreationController,
    MaterialPageController,
    OembedController,
    ProblemController,
    ProductEditorController,
    ProductPageController,
    ProfileController,
    RecoveryController,
    RobotsController,
    SignInController,
    SignInWithController,
    SignUpController,
    SignUpWithController,
    SitemapController,
    WebhookController,
    WebhookListController,
    WebhookRemovalController,
    WebhookSecretController,
  ],
  providers: [
    { provide: APP_GUARD, useExisting: PageGuard },
    // Registered for the whole gateway, so that browsers get an error page for every path that is
    // not for programs
    { provide: APP_FILTER, useClass: ErrorPageFilter },
    BannerStore,
    Cookies,
    FormDrafts,
    FormUploadStore,
    RenderedImageStore,
    PageGuard,
    PageRenderer,
    ProductCards,
    ProviderView,
    ShopView,
  ],
})
export class SiteModule {}
