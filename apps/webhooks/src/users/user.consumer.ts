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
   * Deletes the events, deliveries and webhook endpoints of a deleted user, and prevents new
   * events. Idempotent: may be repeated after a failure.
   */
  async deleteUserData({ event }: Delivery<'user.deleted'>): Promise<void> {
    const { userId } = event.payload;
    await this.events.deleteUserData(userId);
    await this.deliveries.deleteUserData(userId);
  }
}
