import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { EventQueries } from './event.queries.js';

type Messages = Services['webhooks'];
const Handles = handlerFor('webhooks');

@Controller()
export class EventController {
  constructor(private readonly queries: EventQueries) {}

  @Handles('events.list')
  list(
    @Payload() { viewerId, after, types, limit }: PayloadOf<Messages, 'events.list'>,
  ): Promise<ReplyOf<Messages, 'events.list'>> {
    return this.queries.list(viewerId, after, { types, limit });
  }

  @Handles('events.follow')
  follow(
    @Payload() { viewerId, after, types, limit }: PayloadOf<Messages, 'events.follow'>,
  ): Promise<ReplyOf<Messages, 'events.follow'>> {
    return this.queries.follow(viewerId, after, { types, limit });
  }

  @Handles('events.newest')
  newest(@Payload() { users }: PayloadOf<Messages, 'events.newest'>): Promise<ReplyOf<Messages, 'events.newest'>> {
    return this.queries.newest(users);
  }
}
