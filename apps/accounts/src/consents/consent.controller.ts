import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { AwaitRevocationBroadcast } from '../tokens/await-revocation-broadcast.interceptor.js';
import { ConsentQueries } from './consent.queries.js';
import { ConsentRepository } from './consent.repository.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class ConsentController {
  constructor(
    private readonly consents: ConsentRepository,
    private readonly queries: ConsentQueries,
  ) {}

  @Handles('consents.list')
  async list(@Payload() { userId }: PayloadOf<Messages, 'consents.list'>): Promise<ReplyOf<Messages, 'consents.list'>> {
    return { consents: await this.queries.list(userId) };
  }

  @Handles('consents.revoke')
  @UseInterceptors(AwaitRevocationBroadcast)
  async revoke(
    @Payload() { userId, applicationId }: PayloadOf<Messages, 'consents.revoke'>,
  ): Promise<ReplyOf<Messages, 'consents.revoke'>> {
    return { revoked: await this.consents.revoke(userId, applicationId) };
  }
}
