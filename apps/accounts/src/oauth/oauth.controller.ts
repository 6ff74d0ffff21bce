import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { AwaitRevocationBroadcast } from '../tokens/await-revocation-broadcast.interceptor.js';
import { AuthorizationService } from './authorization.service.js';
import { OAuthService } from './oauth.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class OAuthController {
  constructor(
    private readonly authorizations: AuthorizationService,
    private readonly oauth: OAuthService,
  ) {}

  @Handles('oauth.authorize')
  authorize(@Payload() request: PayloadOf<Messages, 'oauth.authorize'>): Promise<ReplyOf<Messages, 'oauth.authorize'>> {
    return this.authorizations.authorize(request);
  }

  @Handles('oauth.token')
  @UseInterceptors(AwaitRevocationBroadcast)
  token(@Payload() request: PayloadOf<Messages, 'oauth.token'>): Promise<ReplyOf<Messages, 'oauth.token'>> {
    return this.oauth.token(request);
  }

  @Handles('oauth.revoke')
  @UseInterceptors(AwaitRevocationBroadcast)
  revoke(@Payload() request: PayloadOf<Messages, 'oauth.revoke'>): Promise<ReplyOf<Messages, 'oauth.revoke'>> {
    return this.oauth.revoke(request);
  }

  @Handles('oauth.introspect')
  introspect(
    @Payload() request: PayloadOf<Messages, 'oauth.introspect'>,
  ): Promise<ReplyOf<Messages, 'oauth.introspect'>> {
    return this.oauth.introspect(request);
  }
}
