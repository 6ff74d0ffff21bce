import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { ProductRepository } from './product.repository.js';

@Injectable()
export class ProductConsumer {
  constructor(private readonly products: ProductRepository) {}

  async deleteProducts(delivery: Delivery<'material.deleted'>): Promise<void> {
    await delivery.once((tx) => this.products.delete(tx, delivery.event.payload.productIds));
  }
}
