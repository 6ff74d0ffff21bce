import { Injectable } from '@nestjs/common';
import { imagePathsOf, imageTag } from '#contracts';
import type { Delivery } from '#events';
import { PurgeClient } from './purge.client.js';

/** Purges withdrawn images from caches if the operator has set a purge hook. */
@Injectable()
export class PurgeConsumer {
  constructor(private readonly client: PurgeClient) {}

  /**
   * A repeated delivery purges twice, which is harmless: a cache fetches what is still public
   * again.
   */
  async imagesWithdrawn({ event }: Delivery<'images.withdrawn'>): Promise<void> {
    const { materialId } = event.payload;
    await this.client.purge({ tags: [imageTag(materialId)], paths: [imagePathsOf(materialId)] });
  }
}
