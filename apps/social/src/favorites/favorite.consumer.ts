import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { FavoriteRepository } from './favorite.repository.js';

@Injectable()
export class FavoriteConsumer {
  constructor(private readonly favorites: FavoriteRepository) {}

  async dropOfDeletedMaterial(delivery: Delivery<'material.deleted'>): Promise<void> {
    await delivery.once((tx) => this.favorites.drop(tx, delivery.event.payload.productIds));
  }
}
