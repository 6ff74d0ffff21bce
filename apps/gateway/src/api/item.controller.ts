import { Controller } from '@nestjs/common';
import { QueueClients, type QueueReply } from '#request-queue';
import { Operation } from '../edge/routing/operation.decorator.js';

@Controller()
export class ItemController {
  constructor(private readonly clients: QueueClients) {}

  @Operation('items.list')
  list(): Promise<QueueReply> {
    return this.clients.of('catalog').request('items.list', {});
  }
}
