import { Controller, Inject } from '@nestjs/common';
import { QueueClients, type QueueReply } from '#request-queue';
import { Call, type CallOf } from '../operations/call.decorator.js';
import { Operation } from '../operations/operation.decorator.js';

@Controller()
export class FavoriteController {
  constructor(@Inject(QueueClients) private readonly clients: QueueClients) {}

  @Operation('favorites.create')
  create(@Call() { viewerId, params, body }: CallOf<'favorites.create'>): Promise<QueueReply> {
    const { anonymouse, anonymous, count } = body;
    return this.clients
      .of('social')
      .request('favorites.create', { viewerId, ...params, anonymous: anonymouse ?? anonymous ?? false, count });
  }
}
