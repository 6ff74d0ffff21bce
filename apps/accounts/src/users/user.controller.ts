import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor, type RawReply } from '#request-queue';
import { UserQueries } from './user.queries.js';
import { UserService } from './user.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class UserController {
  constructor(
    private readonly users: UserService,
    private readonly queries: UserQueries,
  ) {}

  @Handles('users.create')
  create(@Payload() request: PayloadOf<Messages, 'users.create'>): Promise<ReplyOf<Messages, 'users.create'>> {
    return this.users.create(request);
  }

  @Handles('users.show')
  show(@Payload() { name }: PayloadOf<Messages, 'users.show'>): Promise<ReplyOf<Messages, 'users.show'>> {
    return this.queries.show(name);
  }

  @Handles('users.find')
  find(@Payload() request: PayloadOf<Messages, 'users.find'>): Promise<ReplyOf<Messages, 'users.find'>> {
    return this.queries.find(request);
  }

  @Handles('users.list')
  list(@Payload() request: PayloadOf<Messages, 'users.list'>): Promise<RawReply> {
    return this.queries.list(request);
  }

  @Handles('users.get')
  get(@Payload() { userId }: PayloadOf<Messages, 'users.get'>): Promise<RawReply> {
    return this.queries.get(userId);
  }

  @Handles('users.self')
  self(@Payload() { viewerId }: PayloadOf<Messages, 'users.self'>): Promise<RawReply> {
    return this.queries.self(viewerId);
  }

  @Handles('users.update')
  async update(@Payload() request: PayloadOf<Messages, 'users.update'>): Promise<RawReply> {
    await this.users.update(request);
    return this.queries.self(request.viewerId);
  }

  @Handles('users.mark-official')
  async markOfficial(
    @Payload() request: PayloadOf<Messages, 'users.mark-official'>,
  ): Promise<ReplyOf<Messages, 'users.mark-official'>> {
    await this.users.markOfficial(request);
    return this.queries.show(request.name);
  }
}
