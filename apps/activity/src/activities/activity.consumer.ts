import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { ActivityRepository } from './activity.repository.js';
import { anonymousUserId } from './activity.rules.js';

@Injectable()
export class ActivityConsumer {
  constructor(private readonly activities: ActivityRepository) {}

  /**
   * Adds an activity for the product's owner, see `addFavorite`. A favorite of the owner adds none.
   */
  async addFavoriteActivity(delivery: Delivery<'favorite.placed'>): Promise<void> {
    const { event } = delivery;
    const { ownerId, userId, anonymous, productId, productTitle } = event.payload;
    if (ownerId === userId) return;
    const activity = {
      eventId: event.id,
      receiverId: ownerId,
      senderId: anonymous ? anonymousUserId : userId,
      actorId: userId,
      at: new Date(event.occurredAt),
    };
    await this.activities.addFavorite(delivery.onceCalling, activity, { productId, productTitle });
  }

  /**
   * Adds an activity for the product's owner, also when the owner is the buyer: unlike a favorite,
   * a sale involves money and a parcel.
   */
  async addSaleActivity(delivery: Delivery<'sale.recorded'>): Promise<void> {
    const { event } = delivery;
    const { ownerId, buyerId, productId, productTitle } = event.payload;
    const activity = {
      eventId: event.id,
      receiverId: ownerId,
      senderId: buyerId ?? anonymousUserId,
      actorId: buyerId ?? anonymousUserId,
      at: new Date(event.occurredAt),
    };
    const data = { productId, productTitle };
    await delivery.once((tx) => this.activities.add(tx, activity, { kind: 'sale', data }));
  }

  /** Adds an activity for the material's owner, with the owner as the sender. */
  async addRenderingActivity(delivery: Delivery<'material.rendered'>): Promise<void> {
    const { event } = delivery;
    const { userId, materialId, title } = event.payload;
    const activity = {
      eventId: event.id,
      receiverId: userId,
      senderId: userId,
      actorId: userId,
      at: new Date(event.occurredAt),
    };
    const data = { materialId, materialTitle: title };
    await delivery.once((tx) => this.activities.add(tx, activity, { kind: 'material', data }));
  }

  /** Adds an activity for the owner of a webhook endpoint, with the owner as the sender. */
  async addWebhookActivity(delivery: Delivery<'webhook.disabled'>): Promise<void> {
    const { event } = delivery;
    const { userId, endpointId, host } = event.payload;
    const activity = {
      eventId: event.id,
      receiverId: userId,
      senderId: userId,
      actorId: userId,
      at: new Date(event.occurredAt),
    };
    await delivery.once((tx) => this.activities.add(tx, activity, { kind: 'webhook', data: { endpointId, host } }));
  }
}
