import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { ActivityRepository } from '../activities/activity.repository.js';

@Injectable()
export class UserConsumer {
  constructor(private readonly activities: ActivityRepository) {}

  /** Deletes the activities whose receiver or actor is the deleted user. */
  async deleteUserData({ event, once }: Delivery<'user.deleted'>): Promise<void> {
    await once((tx) => this.activities.deleteUserData(tx, event.payload.userId));
  }
}
