import { Injectable } from '@nestjs/common';
import type { EventEnvelope, ImageSource } from '#contracts';
import { BlobStore } from '#storage';

type MaterialEvent = EventEnvelope<'material.created' | 'material.updated'>;

/**
 * Notes what the images of an event are drawn from, until all are there. The attempt after one that was stopped then
 * knows that the old images are gone, and which ones became old since.
 */
@Injectable()
export class RenderSourceStore {
  constructor(private readonly blobs: BlobStore) {}

  /** Null when no attempt has begun to draw. */
  async read(event: MaterialEvent): Promise<ImageSource | null> {
    const bytes = await this.blobs.get(keyOf(event));
    return bytes === null ? null : (JSON.parse(bytes.toString()) as ImageSource);
  }

  async write(event: MaterialEvent, source: ImageSource): Promise<void> {
    await this.blobs.put(keyOf(event), Buffer.from(JSON.stringify(source)));
  }

  async forget(event: MaterialEvent): Promise<void> {
    await this.blobs.delete(keyOf(event));
  }
}

/** Among the material's images: when they are all removed it goes too. */
const keyOf = ({ id, payload }: MaterialEvent): string => `images/${payload.materialId}/drawn-from-${id}`;
