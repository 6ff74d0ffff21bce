import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor, type RawReply } from '#request-queue';
import { AwaitRevocationBroadcast } from '../tokens/await-revocation-broadcast.interceptor.js';
import { ApplicationQueries } from './application.queries.js';
import { ApplicationService } from './application.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class ApplicationController {
  constructor(
    private readonly applications: ApplicationService,
    private readonly queries: ApplicationQueries,
  ) {}

  @Handles('applications.list')
  async list(
    @Payload() request: PayloadOf<Messages, 'applications.list'>,
  ): Promise<ReplyOf<Messages, 'applications.list'>> {
    return { applications: await this.queries.list(request) };
  }

  @Handles('applications.get')
  get(@Payload() request: PayloadOf<Messages, 'applications.get'>): Promise<ReplyOf<Messages, 'applications.get'>> {
    return this.queries.get(request);
  }

  @Handles('applications.create')
  create(@Payload() request: PayloadOf<Messages, 'applications.create'>): Promise<RawReply> {
    return this.applications.create(request);
  }

  @Handles('applications.update')
  @UseInterceptors(AwaitRevocationBroadcast)
  async update(
    @Payload() request: PayloadOf<Messages, 'applications.update'>,
  ): Promise<ReplyOf<Messages, 'applications.update'>> {
    await this.applications.update(request);
    return this.queries.get(request);
  }

  @Handles('applications.renew-secret')
  renewSecret(@Payload() request: PayloadOf<Messages, 'applications.renew-secret'>): Promise<RawReply> {
    return this.applications.renewSecret(request);
  }

  @Handles('applications.delete')
  @UseInterceptors(AwaitRevocationBroadcast)
  async delete(@Payload() request: PayloadOf<Messages, 'applications.delete'>): Promise<null> {
    await this.applications.delete(request);
    return null;
  }

  @Handles('applications.find')
  async find(
    @Payload() request: PayloadOf<Messages, 'applications.find'>,
  ): Promise<ReplyOf<Messages, 'applications.find'>> {
    return { applications: await this.queries.find(request) };
  }

  @Handles('applications.show')
  show(@Payload() request: PayloadOf<Messages, 'applications.show'>): Promise<ReplyOf<Messages, 'applications.show'>> {
    return this.queries.show(request);
  }

  @Handles('applications.remove')
  @UseInterceptors(AwaitRevocationBroadcast)
  async remove(
    @Payload() request: PayloadOf<Messages, 'applications.remove'>,
  ): Promise<ReplyOf<Messages, 'applications.remove'>> {
    const removed = await this.queries.show(request);
    await this.applications.remove(removed.id);
    return removed;
  }
}
