import { Controller } from '@nestjs/common';
import { QueueClients, type QueueReply } from '#request-queue';
import { Call, type CallOf } from '../edge/routing/call.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';

@Controller()
export class ProductController {
  constructor(private readonly clients: QueueClients) {}

  @Operation('products.list')
  list(@Call() { viewerId, query }: CallOf<'products.list'>): Promise<QueueReply> {
    return this.clients.of('catalog').request('products.list', { viewerId, ...query });
  }

  @Operation('products.search')
  search(@Call() { viewerId, query }: CallOf<'products.search'>): Promise<QueueReply> {
    return this.clients.of('catalog').request('products.search', { viewerId, ...query });
  }

  @Operation('products.on-sale')
  onSale(@Call() { viewerId, query }: CallOf<'products.on-sale'>): Promise<QueueReply> {
    return this.clients.of('catalog').request('products.on-sale', { viewerId, ...query });
  }

  @Operation('products.get')
  get(@Call() { viewerId, params }: CallOf<'products.get'>): Promise<QueueReply> {
    return this.clients.of('catalog').request('products.get', { viewerId, ...params });
  }
}
