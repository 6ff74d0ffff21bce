import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { ActivityQueries } from './activity.queries.js';

type Messages = Services['activity'];
const Handles = handlerFor('activity');

@Controller()
export class ActivityController {
  constructor(private readonly queries: ActivityQueries) {}

  @Handles('activities.list')
  async list(
    @Payload() { viewerId, limit, language }: PayloadOf<Messages, 'activities.list'>,
  ): Promise<ReplyOf<Messages, 'activities.list'>> {
    return { activities: await this.queries.list(viewerId, limit, language) };
  }

  @Handles('activities.subjects')
  subjects(
    @Payload() { viewerId, activityIds }: PayloadOf<Messages, 'activities.subjects'>,
  ): Promise<ReplyOf<Messages, 'activities.subjects'>> {
    return this.queries.subjects(viewerId, activityIds);
  }

  @Handles('activities.unreads')
  async unreads(
    @Payload() { viewerId }: PayloadOf<Messages, 'activities.unreads'>,
  ): Promise<ReplyOf<Messages, 'activities.unreads'>> {
    return { unreads: await this.queries.unreads(viewerId) };
  }
}
