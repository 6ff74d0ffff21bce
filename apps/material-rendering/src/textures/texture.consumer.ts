import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { TextureSweeper } from './texture.sweeper.js';

@Injectable()
export class TextureConsumer {
  constructor(private readonly sweep: TextureSweeper) {}

  /**
   * Deletes the textures of a deleted user with their bytes. During a backup, the bytes are deleted
   * after it.
   */
  userMaterialsDeleted({ event }: Delivery<'user.materials-deleted'>): Promise<void> {
    return this.sweep.deleteAllOf(event.payload.userId);
  }
}
