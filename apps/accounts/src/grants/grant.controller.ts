import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { AwaitRevocationBroadcast } from '../tokens/await-revocation-broadcast.interceptor.js';
import { GrantQueries } from './grant.queries.js';
import { GrantRepository } from './grant.repository.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class GrantController {
  constructor(
    private readonly grants: GrantRepository,
    private readonly queries: GrantQueries,
  ) {}

  @Handles('grants.list')
  async list(@Payload() { userId }: PayloadOf<Messages, 'grants.list'>): Promise<ReplyOf<Messages, 'grants.list'>> {
    return { grants: await this.queries.list(userId) };
  }

  @Handles('grants.revoke')
  @UseInterceptors(AwaitRevocationBroadcast)
  async revoke(
    @Payload() { userId, applicationId }: PayloadOf<Messages, 'grants.revoke'>,
  ): Promise<ReplyOf<Messages, 'grants.revoke'>> {
    return { revoked: await this.grants.revoke(userId, applicationId) };
  }
}
