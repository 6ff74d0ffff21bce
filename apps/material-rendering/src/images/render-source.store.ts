import { Injectable } from '@nestjs/common';
import type { EventEnvelope, ImageSource } from '#contracts';
import { BlobStore } from '#storage';

type MaterialEvent = EventEnvelope<'material.created' | 'material.updated' | 'images.outdated'>;

/**
 * Stores the state of the material from which the images of an event are rendered, until all are
 * stored. After an interrupted attempt, the next attempt compares this state with the current one,
 * to delete images that have changed without a new revision (`redefinedItems`).
 */
@Injectable()
export class RenderSourceStore {
  constructor(private readonly blobs: BlobStore) {}

  /** Returns the state of the last attempt; null when none has started to render. */
  async read(event: MaterialEvent): Promise<ImageSource | null> {
    const bytes = await this.blobs.get(keyOf(event));
    return bytes === null ? null : (JSON.parse(bytes.toString()) as ImageSource);
  }

  async write(event: MaterialEvent, source: ImageSource): Promise<void> {
    await this.blobs.put(keyOf(event), Buffer.from(JSON.stringify(source)));
  }

  async delete(event: MaterialEvent): Promise<void> {
    await this.blobs.delete(keyOf(event));
  }
}

/**
 * The key is in the folder of the material's images, so that deleting the folder deletes this blob.
 */
const keyOf = ({ id, payload }: MaterialEvent): string => `images/${payload.materialId}/drawn-from-${id}`;
