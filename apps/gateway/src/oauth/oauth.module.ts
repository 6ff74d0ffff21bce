import { Module } from '@nestjs/common';
import { OAuthController } from './oauth.controller.js';

/** OAuth endpoints of clients; the consent page is part of the site. */
@Module({ controllers: [OAuthController] })
export class OAuthModule {}
