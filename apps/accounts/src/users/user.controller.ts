import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
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
}
