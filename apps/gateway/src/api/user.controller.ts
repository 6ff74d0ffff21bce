import { Controller } from '@nestjs/common';
import { QueueClients, type QueueReply } from '#request-queue';
import { Call, type CallOf } from '../edge/routing/call.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';

@Controller()
export class UserController {
  constructor(private readonly clients: QueueClients) {}

  @Operation('users.list')
  list(@Call() { viewerId, query }: CallOf<'users.list'>): Promise<QueueReply> {
    return this.clients.of('accounts').request('users.list', { viewerId, ...query });
  }

  @Operation('users.get')
  get(@Call() { viewerId, params }: CallOf<'users.get'>): Promise<QueueReply> {
    return this.clients.of('accounts').request('users.get', { viewerId, ...params });
  }

  @Operation('users.self')
  self(@Call() { viewerId }: CallOf<'users.self'>): Promise<QueueReply> {
    return this.clients.of('accounts').request('users.self', { viewerId });
  }

  @Operation('users.update')
  update(@Call() { viewerId, body }: CallOf<'users.update'>): Promise<QueueReply> {
    return this.clients.of('accounts').request('users.update', { viewerId, ...body });
  }
}
