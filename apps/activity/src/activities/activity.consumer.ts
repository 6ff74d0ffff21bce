import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { ActivityRepository } from './activity.repository.js';
import { anonymousUserId } from './activity.rules.js';

@Injectable()
export class ActivityConsumer {
  constructor(private readonly activities: ActivityRepository) {}

  /** To the owner of the product; nobody is told of their own favorites. */
  async tellOfFavorite(delivery: Delivery<'favorite.placed'>): Promise<void> {
    const { event } = delivery;
    const { ownerId, userId, anonymous, productId, productTitle } = event.payload;
    if (ownerId === userId) return;
    const told = {
      eventId: event.id,
      receiverId: ownerId,
      senderId: anonymous ? anonymousUserId : userId,
      actorId: userId,
      at: new Date(event.occurredAt),
    };
    await this.activities.addFavorite(delivery.onceCalling, told, { productId, productTitle });
  }

  /**
   * To the owner of the product. Owners who buy their own product are told as well: unlike a favorite, a sale is a fact
   * of the shop, with money and a parcel behind it.
   */
  async tellOfSale(delivery: Delivery<'sale.recorded'>): Promise<void> {
    const { event } = delivery;
    const { ownerId, buyerId, productId, productTitle } = event.payload;
    const told = {
      eventId: event.id,
      receiverId: ownerId,
      senderId: buyerId ?? anonymousUserId,
      actorId: buyerId ?? anonymousUserId,
      at: new Date(event.occurredAt),
    };
    const data = { productId, productTitle };
    await delivery.once((tx) => this.activities.add(tx, told, { kind: 'sale', data }));
  }

  /** To the owner of the material, as coming from the owner. */
  async tellOfRendering(delivery: Delivery<'material.rendered'>): Promise<void> {
    const { event } = delivery;
    const { userId, materialId, title } = event.payload;
    const told = {
      eventId: event.id,
      receiverId: userId,
      senderId: userId,
      actorId: userId,
      at: new Date(event.occurredAt),
    };
    const data = { materialId, materialTitle: title };
    await delivery.once((tx) => this.activities.add(tx, told, { kind: 'material', data }));
  }
}
