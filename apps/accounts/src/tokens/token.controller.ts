import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Introspection, PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { AwaitRevocationBroadcast } from './await-revocation-broadcast.interceptor.js';
import { TokenQueries } from './token.queries.js';
import { TokenService } from './token.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class TokenController {
  constructor(
    private readonly tokens: TokenService,
    private readonly queries: TokenQueries,
  ) {}

  @Handles('tokens.introspect')
  introspect(@Payload() { token }: PayloadOf<Messages, 'tokens.introspect'>): Promise<Introspection> {
    return this.tokens.introspect(token);
  }

  @Handles('tokens.list')
  list(@Payload() { userName }: PayloadOf<Messages, 'tokens.list'>): Promise<ReplyOf<Messages, 'tokens.list'>> {
    return this.queries.list(userName);
  }

  @Handles('tokens.create')
  async create(@Payload() { userName, scopes }: PayloadOf<Messages, 'tokens.create'>): Promise<{ token: string }> {
    return { token: await this.tokens.create(userName, scopes) };
  }

  @Handles('tokens.revoke')
  @UseInterceptors(AwaitRevocationBroadcast)
  async revoke(@Payload() request: PayloadOf<Messages, 'tokens.revoke'>): Promise<{ revoked: boolean }> {
    return { revoked: await this.tokens.revoke(request) };
  }
}
