import { Injectable } from '@nestjs/common';
import type { ImageSource } from '#contracts';
import { appendEvent, type Delivery } from '#events';
import { RenderSourceStore } from './render-source.store.js';
import { imagesToPrepare, redefinedItems } from './image.rules.js';
import { ImageSourceCache } from './image-source.cache.js';
import { ImageService } from './image.service.js';
import { TextureRepository } from '../textures/texture.repository.js';

/** Images of one material that are drawn side by side. */
const sideBySide = 2;

type Redrawing = Delivery<'material.created' | 'material.updated'>;

/** Draws the samples of new and changed materials before the first request, and removes outdated images. */
@Injectable()
export class ImageConsumer {
  constructor(
    private readonly sources: ImageSourceCache,
    private readonly images: ImageService,
    private readonly drawnFrom: RenderSourceStore,
    private readonly textures: TextureRepository,
  ) {}

  async materialCreated(delivery: Delivery<'material.created'>): Promise<void> {
    const { materialId, userId, title } = delivery.event.payload;
    const count = await this.drawAll(delivery);
    // A material without products has no samples
    if (count > 0) {
      await delivery.once((tx) => appendEvent(tx, 'material.rendered', { materialId, userId, title, images: count }));
    }
    await this.drawnFrom.forget(delivery.event);
  }

  /** Appends no `material.rendered`: that is for new materials. */
  async materialUpdated(delivery: Delivery<'material.updated'>): Promise<void> {
    const { stale, unpublished } = delivery.event.payload;
    let isAppended = stale !== 'all' && unpublished.length === 0;
    await this.drawAll(delivery, async () => {
      if (!isAppended) await appendWithdrawn(delivery);
      isAppended = true;
    });
    await this.drawnFrom.forget(delivery.event);
  }

  /** The sweep deletes its textures after the grace period, unless other materials show the same image. */
  async materialDeleted(delivery: Delivery<'material.deleted'>): Promise<void> {
    const { materialId, userId, textures } = delivery.event.payload;
    await this.images.remove(materialId);
    if (textures.length > 0) await this.textures.checkLater(userId, textures);
    await appendWithdrawn(delivery);
  }

  /**
   * Deletes the images of older revisions and draws what is missing of the current one. What is stored is skipped, so that
   * an attempt goes on where the one before was stopped. The material may change or be deleted while its images are drawn,
   * and another job may have deleted the old ones before the last of them was stored: so it is read again at the end.
   *
   * @param removed runs each time that images were deleted, before others are drawn
   * @returns how many images there are now; 0 when the material may not be shown
   */
  private async drawAll(delivery: Redrawing, removed: () => Promise<void> = () => Promise.resolve()): Promise<number> {
    const { event } = delivery;
    const { materialId } = event.payload;
    let before = await this.drawnFrom.read(event);
    let source = await this.sources.source(materialId);
    while (source !== null) {
      await this.images.removeOutdated(source, before === null ? [] : redefinedItems(before, source));
      await removed();
      await this.drawnFrom.write(event, source);
      const count = await this.prepareAll(source, delivery);
      before = source;
      source = await this.sources.source(materialId);
      if (JSON.stringify(source) === JSON.stringify(before)) return count;
    }
    await this.images.remove(materialId);
    await removed();
    return 0;
  }

  /**
   * What is stored already counts as progress, but is not reported one by one: after an attempt that was stopped, progress
   * goes on from where it was.
   *
   * @returns how many images there are now
   */
  private async prepareAll(source: ImageSource, delivery: Redrawing): Promise<number> {
    const wanted = imagesToPrepare(source);
    const rest = [...wanted];
    let done = 0;
    const reportProgress = (): Promise<void> => delivery.progress({ done, of: wanted.length });
    const drawRest = async (): Promise<void> => {
      for (let image = rest.shift(); image !== undefined; image = rest.shift()) {
        delivery.signal.throwIfAborted();
        const isNew = await this.images.prepare(image, source);
        done += 1;
        if (isNew) await reportProgress();
      }
    };
    const stopOthers = (error: unknown): never => {
      rest.length = 0;
      throw error;
    };
    const drawers = Array.from({ length: sideBySide }, () => drawRest().catch(stopOthers));
    // Waits for all of them also when one fails: nothing may still be drawn when the next attempt begins
    const failed = (await Promise.allSettled(drawers)).find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await reportProgress();
    return wanted.length;
  }
}

/** After the deletion: a cache that is purged before it would fetch the images again. */
async function appendWithdrawn({ event, once }: Delivery<'material.updated' | 'material.deleted'>): Promise<void> {
  const { materialId } = event.payload;
  await once((tx) => appendEvent(tx, 'images.withdrawn', { materialId }));
}
