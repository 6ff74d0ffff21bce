import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { TextureSweeper } from './texture.sweeper.js';

@Injectable()
export class TextureConsumer {
  constructor(private readonly sweep: TextureSweeper) {}

  /** Ends when the bytes are deleted, unless a backup is being made: then they are deleted after it. */
  userMaterialsDeleted({ event }: Delivery<'user.materials-deleted'>): Promise<void> {
    return this.sweep.deleteAllOf(event.payload.userId);
  }
}
