import { Injectable } from '@nestjs/common';
import { imagePathsOf, imageTag } from '#contracts';
import type { Delivery } from '#events';
import { PurgeClient } from './purge.client.js';

/** Purges withdrawn images from caches, where the operator has set a purge hook. */
@Injectable()
export class PurgeConsumer {
  constructor(private readonly client: PurgeClient) {}

  /** May purge twice; images that may be shown are fetched again then. */
  async imagesWithdrawn({ event }: Delivery<'images.withdrawn'>): Promise<void> {
    const { materialId } = event.payload;
    await this.client.purge({ tags: [imageTag(materialId)], paths: [imagePathsOf(materialId)] });
  }
}
