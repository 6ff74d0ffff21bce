import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { IdentityService } from './identity.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class IdentityController {
  constructor(private readonly identities: IdentityService) {}

  @Handles('identities.providers')
  providers(): ReplyOf<Messages, 'identities.providers'> {
    return { providers: this.identities.providers() };
  }

  @Handles('identities.begin')
  begin(@Payload() request: PayloadOf<Messages, 'identities.begin'>): Promise<ReplyOf<Messages, 'identities.begin'>> {
    return this.identities.begin(request);
  }

  @Handles('identities.finish')
  finish(
    @Payload() request: PayloadOf<Messages, 'identities.finish'>,
  ): Promise<ReplyOf<Messages, 'identities.finish'>> {
    return this.identities.finish(request);
  }

  @Handles('identities.sign-up')
  signUp(
    @Payload() request: PayloadOf<Messages, 'identities.sign-up'>,
  ): Promise<ReplyOf<Messages, 'identities.sign-up'>> {
    return this.identities.signUp(request);
  }

  @Handles('identities.list')
  list(@Payload() { userId }: PayloadOf<Messages, 'identities.list'>): Promise<ReplyOf<Messages, 'identities.list'>> {
    return this.identities.list(userId);
  }

  @Handles('identities.unlink')
  async unlink(
    @Payload() request: PayloadOf<Messages, 'identities.unlink'>,
  ): Promise<ReplyOf<Messages, 'identities.unlink'>> {
    await this.identities.unlink(request);
    return null;
  }
}
