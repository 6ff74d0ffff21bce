import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor, type RawReply } from '#request-queue';
import { AwaitRevocationBroadcast } from '../tokens/await-revocation-broadcast.interceptor.js';
import { MemberService } from '../users/member.service.js';
import { KeyService } from './key.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class KeyController {
  constructor(
    private readonly keys: KeyService,
    private readonly members: MemberService,
  ) {}

  @Handles('keys.show')
  async show(@Payload() request: PayloadOf<Messages, 'keys.show'>): Promise<{ apiKey: string }> {
    return { apiKey: await this.keys.show(await this.members.authenticate(request)) };
  }

  @Handles('keys.replace')
  @UseInterceptors(AwaitRevocationBroadcast)
  async replace(@Payload() { idempotency, ...request }: PayloadOf<Messages, 'keys.replace'>): Promise<RawReply> {
    return this.keys.replace(await this.members.authenticate(request), idempotency);
  }

  @Handles('keys.show-by-name')
  async showByName(@Payload() owner: PayloadOf<Messages, 'keys.show-by-name'>): Promise<{ apiKey: string }> {
    return { apiKey: await this.keys.show(owner) };
  }

  @Handles('keys.replace-by-name')
  @UseInterceptors(AwaitRevocationBroadcast)
  async replaceByName(@Payload() owner: PayloadOf<Messages, 'keys.replace-by-name'>): Promise<{ apiKey: string }> {
    return { apiKey: await this.keys.replaceByName(owner) };
  }
}
