import { Injectable } from '@nestjs/common';
import { problems } from '#contracts';
import type { Delivery } from '#events';
import { DomainError } from '#kernel';
import { MaterialService } from '../materials/material.service.js';
import { UserRepository } from './user.repository.js';

@Injectable()
export class UserConsumer {
  constructor(
    private readonly users: UserRepository,
    private readonly materials: MaterialService,
  ) {}

  /**
   * Deletes every material of a user who has gone, as the user would have. One transaction each, so that a prolific user
   * holds no lock for long; whatever was done before an interruption is not found again.
   */
  async forget({ event, signal }: Delivery<'user.deleted'>): Promise<void> {
    const { userId } = event.payload;
    await this.users.dismiss(userId);
    for (let ids = await this.users.someMaterials(userId); ids.length > 0; ids = await this.users.someMaterials(userId))
      for (const id of ids) {
        signal.throwIfAborted();
        await this.materials.delete(userId, id).catch(goneBefore);
      }
    await this.users.announceMaterialsDeleted(userId);
  }
}

/** By a request that was under way, or by another delivery of the same event. */
function goneBefore(error: unknown): void {
  if (!(error instanceof DomainError) || error.kind !== problems['material.not-found']) throw error;
}
