import { Module } from '@nestjs/common';
import { OAuthController } from './oauth.controller.js';

/** The endpoints of the OAuth server that clients call; the consent of people is a page of the site. */
@Module({ controllers: [OAuthController] })
export class OAuthModule {}
