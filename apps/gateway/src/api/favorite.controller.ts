import { Controller } from '@nestjs/common';
import { QueueClients, type QueueReply } from '#request-queue';
import { Call, type CallOf } from '../edge/routing/call.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';

@Controller()
export class FavoriteController {
  constructor(private readonly clients: QueueClients) {}

  @Operation('favorites.of-product')
  ofProduct(@Call() { viewerId, params, query }: CallOf<'favorites.of-product'>): Promise<QueueReply> {
    return this.clients.of('social').request('favorites.of-product', { viewerId, ...params, ...query });
  }

  @Operation('favorites.of-user')
  ofUser(@Call() { viewerId, params, query }: CallOf<'favorites.of-user'>): Promise<QueueReply> {
    return this.clients.of('social').request('favorites.of-user', { viewerId, ...params, ...query });
  }

  @Operation('favorites.create')
  create(@Call() { viewerId, params, body, idempotency }: CallOf<'favorites.create'>): Promise<QueueReply> {
    const { anonymouse, anonymous = false, count } = body;
    return this.clients
      .of('social')
      .request('favorites.create', { viewerId, ...params, anonymous: anonymouse ?? anonymous, count, idempotency });
  }

  @Operation('favorites.delete')
  delete(@Call() { viewerId, params }: CallOf<'favorites.delete'>): Promise<QueueReply> {
    return this.clients.of('social').request('favorites.delete', { viewerId, ...params });
  }
}
