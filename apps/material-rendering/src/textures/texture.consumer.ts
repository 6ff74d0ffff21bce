import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { ExternalImageService } from '../external-images/external-image.service.js';
import { PrintFileSweeper } from '../print-files/print-file.sweeper.js';
import { TextureSweeper } from './texture.sweeper.js';

@Injectable()
export class TextureConsumer {
  constructor(
    private readonly sweep: TextureSweeper,
    private readonly externalImages: ExternalImageService,
    private readonly printFiles: PrintFileSweeper,
  ) {}

  /**
   * Deletes the texture references of a deleted user, the textures that no other user refers to
   * with their bytes, the external images and the print files. During a backup, the bytes of
   * textures are deleted after it.
   */
  async userMaterialsDeleted({ event }: Delivery<'user.materials-deleted'>): Promise<void> {
    // Marks the user as deleted, too, which a concurrent `ExternalImageService.store` checks
    await this.sweep.deleteAllOf(event.payload.userId);
    await this.externalImages.deleteAllOf(event.payload.userId);
    await this.printFiles.deleteAllOf(event.payload.userId);
  }
}
