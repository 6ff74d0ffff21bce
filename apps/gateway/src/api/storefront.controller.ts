import { Controller } from '@nestjs/common';
import { QueueClients, type QueueReply } from '#request-queue';
import { Operation } from '../edge/routing/operation.decorator.js';

@Controller()
export class StorefrontController {
  constructor(private readonly clients: QueueClients) {}

  @Operation('banners.list')
  banners(): Promise<QueueReply> {
    return this.clients.of('catalog').request('banners.list', {});
  }

  @Operation('categories.list')
  categories(): Promise<QueueReply> {
    return this.clients.of('catalog').request('categories.list', {});
  }

  @Operation('promotions.list')
  promotions(): Promise<QueueReply> {
    return this.clients.of('catalog').request('promotions.list', {});
  }
}
