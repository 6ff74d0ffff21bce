import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccountController } from './account/account.controller.js';
import { AccountDeletionController } from './account/account-deletion.controller.js';
import { CredentialsController } from './account/credentials.controller.js';
import { ProfileController } from './account/profile.controller.js';
import { ApplicationController } from './applications/application.controller.js';
import { ApplicationRemovalController } from './applications/application-removal.controller.js';
import { ApplicationSecretController } from './applications/application-secret.controller.js';
import { GrantController } from './applications/grant.controller.js';
import { KeyController } from './applications/key.controller.js';
import { IdentityController } from './identities/identity.controller.js';
import { Providers } from './identities/provider.view.js';
import { SignInWithController } from './identities/sign-in-with.controller.js';
import { SignUpWithController } from './identities/sign-up-with.controller.js';
import { AuthorizeController } from './oauth/authorize.controller.js';
import { AssetController } from './pages/asset.controller.js';
import { Cookies } from './pages/cookies.js';
import { ErrorPageFilter } from './pages/error-page.filter.js';
import { LanguageController } from './pages/language.controller.js';
import { PageGuard } from './pages/page.guard.js';
import { PageRenderer } from './pages/page-renderer.js';
import { CreatorController } from './shop/creator.controller.js';
import { FrontController } from './shop/front.controller.js';
import { ProductPageController } from './shop/product-page.controller.js';
import { ShopSite } from './shop/shop.view.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignUpController } from './sign-in/sign-up.controller.js';

/**
 * Pages of the site: shop, sign-in and sign-up, account, applications, identities, OAuth consent.
 */
@Module({
  controllers: [
    AccountController,
    AccountDeletionController,
    ApplicationController,
    ApplicationRemovalController,
    ApplicationSecretController,
    AssetController,
    AuthorizeController,
    CreatorController,
    CredentialsController,
    FrontController,
    GrantController,
    IdentityController,
    KeyController,
    LanguageController,
    ProductPageController,
    ProfileController,
    SignInController,
    SignInWithController,
    SignUpController,
    SignUpWithController,
  ],
  providers: [
    { provide: APP_GUARD, useExisting: PageGuard },
    // Registered for the whole gateway, so that browsers get an error page for every path
    { provide: APP_FILTER, useClass: ErrorPageFilter },
    Cookies,
    PageGuard,
    PageRenderer,
    Providers,
    ShopSite,
  ],
})
export class SiteModule {}
