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
   * Deletes the data of a deleted user. Materials are deleted one per transaction, so that locks
   * are short even for many materials. After an interruption, the next delivery deletes the
   * remaining materials.
   */
  async deleteUserData({ event, signal }: Delivery<'user.deleted'>): Promise<void> {
    const { userId } = event.payload;
    await this.users.markDeleted(userId);
    for (
      let ids = await this.users.findMaterialIds(userId);
      ids.length > 0;
      ids = await this.users.findMaterialIds(userId)
    )
      for (const id of ids) {
        signal.throwIfAborted();
        await this.materials.delete(userId, id).catch(ignoreMissing);
      }
    await this.users.appendMaterialsDeleted(userId);
  }
}

/** Ignores a material that a concurrent request or another delivery of the event has deleted. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof DomainError) || error.kind !== problems['material.not-found']) throw error;
}
