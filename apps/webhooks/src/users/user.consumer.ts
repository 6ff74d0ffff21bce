import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { EventRepository } from '../event-log/event.repository.js';

@Injectable()
export class UserConsumer {
  constructor(private readonly events: EventRepository) {}

  /** Deletes the events of a deleted user. Idempotent, because it only deletes. */
  async deleteUserData({ event }: Delivery<'user.deleted'>): Promise<void> {
    await this.events.deleteUserData(event.payload.userId);
  }
}
