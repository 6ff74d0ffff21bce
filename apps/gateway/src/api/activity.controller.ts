import { Controller, Header, Headers } from '@nestjs/common';
import { QueueClients, type QueueReply } from '#request-queue';
import { languageOf } from '../edge/headers/language.js';
import { Call, type CallOf } from '../edge/routing/call.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';

@Controller()
export class ActivityController {
  constructor(private readonly clients: QueueClients) {}

  @Operation('activities.list')
  @Header('vary', 'accept-language')
  list(
    @Call() { viewerId, query }: CallOf<'activities.list'>,
    @Headers('accept-language') wanted: string | undefined,
  ): Promise<QueueReply> {
    const language = languageOf(wanted);
    return this.clients.of('activity').request('activities.list', { viewerId, ...query, language });
  }

  @Operation('activities.unreads')
  unreads(@Call() { viewerId }: CallOf<'activities.unreads'>): Promise<QueueReply> {
    return this.clients.of('activity').request('activities.unreads', { viewerId });
  }
}
