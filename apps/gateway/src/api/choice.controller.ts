import { Controller } from '@nestjs/common';
import { QueueClients, type QueueReply } from '#request-queue';
import { Call, type CallOf } from '../edge/routing/call.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';

@Controller()
export class ChoiceController {
  constructor(private readonly clients: QueueClients) {}

  @Operation('choices.list')
  list(@Call() { viewerId, query }: CallOf<'choices.list'>): Promise<QueueReply> {
    return this.clients.of('social').request('choices.list', { viewerId, ...query });
  }

  @Operation('choices.get')
  get(@Call() { viewerId, params }: CallOf<'choices.get'>): Promise<QueueReply> {
    return this.clients.of('social').request('choices.get', { viewerId, ...params });
  }

  @Operation('choices.create')
  create(@Call() { viewerId, body, idempotency }: CallOf<'choices.create'>): Promise<QueueReply> {
    return this.clients.of('social').request('choices.create', { viewerId, ...body, idempotency });
  }

  @Operation('choices.update')
  update(@Call() { viewerId, params, body }: CallOf<'choices.update'>): Promise<QueueReply> {
    return this.clients.of('social').request('choices.update', { viewerId, ...params, ...body });
  }

  @Operation('choices.delete')
  delete(@Call() { viewerId, params }: CallOf<'choices.delete'>): Promise<QueueReply> {
    return this.clients.of('social').request('choices.delete', { viewerId, ...params });
  }

  @Operation('choices.add')
  add(@Call() { viewerId, params, body, idempotency }: CallOf<'choices.add'>): Promise<QueueReply> {
    return this.clients.of('social').request('choices.add', { viewerId, ...params, ...body, idempotency });
  }

  @Operation('choices.remove')
  remove(@Call() { viewerId, params, body, idempotency }: CallOf<'choices.remove'>): Promise<QueueReply> {
    return this.clients.of('social').request('choices.remove', { viewerId, ...params, ...body, idempotency });
  }

  @Operation('choices.products')
  products(@Call() { viewerId, params, query }: CallOf<'choices.products'>): Promise<QueueReply> {
    return this.clients.of('social').request('choices.products', { viewerId, ...params, ...query });
  }
}
