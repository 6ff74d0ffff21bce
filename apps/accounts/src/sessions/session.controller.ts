import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { SessionQueries } from './session.queries.js';
import { SessionService } from './session.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class SessionController {
  constructor(
    private readonly sessions: SessionService,
    private readonly queries: SessionQueries,
  ) {}

  @Handles('sessions.open')
  open(@Payload() request: PayloadOf<Messages, 'sessions.open'>): Promise<ReplyOf<Messages, 'sessions.open'>> {
    return this.sessions.open(request);
  }

  @Handles('sessions.show')
  show(@Payload() { session }: PayloadOf<Messages, 'sessions.show'>): Promise<ReplyOf<Messages, 'sessions.show'>> {
    return this.queries.show(session);
  }

  @Handles('sessions.close')
  close(@Payload() request: PayloadOf<Messages, 'sessions.close'>): Promise<void> {
    return this.sessions.close(request);
  }
}
