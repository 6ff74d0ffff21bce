import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { DeliveryRepository } from '../deliveries/delivery.repository.js';
import { EventRepository } from '../event-log/event.repository.js';

@Injectable()
export class UserConsumer {
  constructor(
    private readonly events: EventRepository,
    private readonly deliveries: DeliveryRepository,
  ) {}

  /**
   * Deletes the events and webhook endpoints of a deleted user. Idempotent, because it only
   * deletes.
   */
  async deleteUserData({ event }: Delivery<'user.deleted'>): Promise<void> {
    const { userId } = event.payload;
    await this.events.deleteUserData(userId);
    await this.deliveries.deleteUserData(userId);
  }
}
