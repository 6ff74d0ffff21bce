import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, RecordedPurchase, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { PurchaseService } from './purchase.service.js';

const Handles = handlerFor('catalog');

@Controller()
export class PurchaseController {
  constructor(private readonly service: PurchaseService) {}

  @Handles('sales.record')
  record(@Payload() request: PayloadOf<Services['catalog'], 'sales.record'>): Promise<RecordedPurchase> {
    return this.service.record(request);
  }
}
