import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { AwaitRevocationBroadcast } from '../tokens/await-revocation-broadcast.interceptor.js';
import { MailService } from './mail.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class MailController {
  constructor(private readonly mail: MailService) {}

  @Handles('mail.show')
  show(): ReplyOf<Messages, 'mail.show'> {
    return { enabled: this.mail.isEnabled };
  }

  @Handles('passwords.request-reset')
  requestReset(@Payload() request: PayloadOf<Messages, 'passwords.request-reset'>): Promise<void> {
    return this.mail.requestReset(request);
  }

  @Handles('passwords.show-reset')
  async showReset(
    @Payload() request: PayloadOf<Messages, 'passwords.show-reset'>,
  ): Promise<ReplyOf<Messages, 'passwords.show-reset'>> {
    return { userName: await this.mail.findUserName(request) };
  }

  @Handles('passwords.reset')
  @UseInterceptors(AwaitRevocationBroadcast)
  reset(@Payload() request: PayloadOf<Messages, 'passwords.reset'>): Promise<void> {
    return this.mail.reset(request);
  }

  @Handles('emails.request-confirmation')
  requestConfirmation(@Payload() request: PayloadOf<Messages, 'emails.request-confirmation'>): Promise<void> {
    return this.mail.requestConfirmation(request);
  }

  @Handles('emails.confirm')
  confirmEmail(@Payload() request: PayloadOf<Messages, 'emails.confirm'>): Promise<void> {
    return this.mail.confirmEmail(request);
  }
}
