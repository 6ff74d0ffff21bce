import { Injectable } from '@nestjs/common';
import { isEvicted } from '#contracts';
import { BlobStore } from '#storage';
import { RenderedImageRepository } from './rendered-image.repository.js';

/**
 * Images in the blob store. For images that may be evicted (`isEvicted`) this class inserts a row
 * after it has written the blob, and deletes the row before the blob. So an image that is rendered
 * and deleted concurrently has a row if it has a blob. RenderedImageSweeper deletes the blob before
 * the row, and adds missing rows.
 */
@Injectable()
export class ImageStore {
  constructor(
    private readonly blobs: BlobStore,
    private readonly rows: RenderedImageRepository,
  ) {}

  has(key: string): Promise<boolean> {
    return this.blobs.has(key);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.blobs.put(key, bytes);
    if (isEvicted(key)) await this.rows.add(key, bytes.length);
  }

  async delete(key: string): Promise<void> {
    if (isEvicted(key)) await this.rows.delete([key]);
    await this.blobs.delete(key);
  }

  /** Deletes everything below a folder, a path without a slash at its end. */
  async deletePrefix(folder: string): Promise<void> {
    if (isEvicted(folder)) await this.rows.deletePrefix(folder);
    await this.blobs.deletePrefix(folder);
  }

  /** Lists the keys below a folder, in no order. */
  list(folder: string): AsyncGenerator<string> {
    return this.blobs.list(folder);
  }
}
