import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { ProductRepository } from './product.repository.js';

@Injectable()
export class ProductConsumer {
  constructor(private readonly products: ProductRepository) {}

  async forgetOfDeletedMaterial(delivery: Delivery<'material.deleted'>): Promise<void> {
    await delivery.once((tx) => this.products.forget(tx, delivery.event.payload.productIds));
  }
}
