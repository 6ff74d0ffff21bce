import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { ActivityRepository } from '../activities/activity.repository.js';

@Injectable()
export class UserConsumer {
  constructor(private readonly activities: ActivityRepository) {}

  /** Forgets what a user who has gone was told of, and what others were told of the user. */
  async forget({ event, once }: Delivery<'user.deleted'>): Promise<void> {
    await once((tx) => this.activities.forget(tx, event.payload.userId));
  }
}
