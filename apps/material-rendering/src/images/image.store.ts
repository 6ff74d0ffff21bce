import { Injectable } from '@nestjs/common';
import { isEvicted } from '#contracts';
import { BlobStore } from '#storage';
import { RenderedImageRepository } from './rendered-image.repository.js';

/**
 * The images in the blob store. Those that clients had drawn have a row each, which is written after the blob and removed
 * before it: an image that is drawn and deleted at the same time has a row when it has a blob.
 */
@Injectable()
export class ImageStore {
  constructor(
    private readonly blobs: BlobStore,
    private readonly drawn: RenderedImageRepository,
  ) {}

  has(key: string): Promise<boolean> {
    return this.blobs.has(key);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.blobs.put(key, bytes);
    if (isEvicted(key)) await this.drawn.add(key, bytes.length);
  }

  async delete(key: string): Promise<void> {
    if (isEvicted(key)) await this.drawn.remove([key]);
    await this.blobs.delete(key);
  }

  /** Deletes everything below a folder, a path without a slash at its end. */
  async deleteBelow(folder: string): Promise<void> {
    if (isEvicted(folder)) await this.drawn.removeBelow(folder);
    await this.blobs.deleteBelow(folder);
  }

  /** The keys below a folder, in no order. */
  below(folder: string): AsyncGenerator<string> {
    return this.blobs.below(folder);
  }
}
