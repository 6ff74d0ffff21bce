import { Injectable } from '@nestjs/common';
import type { ImageSource } from '#contracts';
import { appendEvent, type Delivery } from '#events';
import { RenderSourceStore } from './render-source.store.js';
import { imagesToPrepare, redefinedItems } from './image.rules.js';
import { ImageSourceCache } from './image-source.cache.js';
import { ImageService } from './image.service.js';
import { PrintFileSweeper } from '../print-files/print-file.sweeper.js';
import { TextureRepository } from '../textures/texture.repository.js';

/** Concurrent renderings of one material. */
const concurrencyPerMaterial = 2;

type MaterialChange = Delivery<'material.created' | 'material.updated' | 'images.outdated'>;

/**
 * Renders the images of `imagesToPrepare` for new and changed materials ahead of the first request,
 * and deletes outdated images.
 */
@Injectable()
export class ImageConsumer {
  constructor(
    private readonly sources: ImageSourceCache,
    private readonly images: ImageService,
    private readonly renderSources: RenderSourceStore,
    private readonly textures: TextureRepository,
    private readonly printFiles: PrintFileSweeper,
  ) {}

  async materialCreated(delivery: Delivery<'material.created'>): Promise<void> {
    const { materialId, userId, title } = delivery.event.payload;
    const count = await this.renderAll(delivery);
    // Without images: the material has no products or may not be shown
    if (count > 0) {
      await delivery.once((tx) => appendEvent(tx, 'material.rendered', { materialId, userId, title, images: count }));
    }
    await this.renderSources.delete(delivery.event);
  }

  /** Appends no `material.rendered`, which is only for new materials. */
  async materialUpdated(delivery: Delivery<'material.updated'>): Promise<void> {
    const { stale, unpublished } = delivery.event.payload;
    let isAppended = stale !== 'all' && unpublished.length === 0;
    await this.renderAll(delivery, async () => {
      if (!isAppended) await appendWithdrawn(delivery);
      isAppended = true;
    });
    await this.renderSources.delete(delivery.event);
  }

  /** Renders the images of a new version of an item, which have a new revision. */
  async imagesOutdated(delivery: Delivery<'images.outdated'>): Promise<void> {
    await this.renderAll(delivery);
    await this.renderSources.delete(delivery.event);
  }

  /**
   * Deletes the images and print files of a material. Its textures are deleted by the sweep after
   * the grace period, unless other materials use them.
   */
  async materialDeleted(delivery: Delivery<'material.deleted'>): Promise<void> {
    const { materialId, userId, textures } = delivery.event.payload;
    await this.images.deleteAll(materialId);
    await this.printFiles.deleteOfMaterial(materialId);
    if (textures.length > 0) await this.textures.scheduleCheck(userId, textures);
    await appendWithdrawn(delivery);
  }

  /**
   * Deletes the images of older revisions and renders the missing ones of the current revision.
   * Stored images are skipped, so that an attempt continues where the previous one was interrupted.
   * The material may change or be deleted while its images are rendered, and another job may have
   * deleted outdated images before the last of them was stored. So the material is read again at
   * the end, and the loop repeats if it has changed.
   *
   * @param onDeleted runs after each deletion of images, before others are rendered
   * @returns the number of images; 0 when the material may not be shown
   */
  private async renderAll(
    delivery: MaterialChange,
    onDeleted: () => Promise<void> = () => Promise.resolve(),
  ): Promise<number> {
    const { event } = delivery;
    const { materialId } = event.payload;
    let before = await this.renderSources.read(event);
    let source = await this.sources.source(materialId);
    while (source !== null) {
      await this.images.deleteOutdated(source, before === null ? [] : redefinedItems(before, source));
      await onDeleted();
      await this.renderSources.write(event, source);
      const count = await this.prepareAll(source, delivery);
      before = source;
      source = await this.sources.source(materialId);
      if (JSON.stringify(source) === JSON.stringify(before)) return count;
    }
    await this.images.deleteAll(materialId);
    await onDeleted();
    return 0;
  }

  /**
   * Renders the missing images of a material. Stored images count as progress, but are not reported
   * one by one, so that the progress after an interrupted attempt continues at its last value.
   *
   * @returns the number of images
   */
  private async prepareAll(source: ImageSource, delivery: MaterialChange): Promise<number> {
    const images = imagesToPrepare(source);
    const pending = [...images];
    let done = 0;
    const reportProgress = (): Promise<void> => delivery.progress({ done, of: images.length });
    const preparePending = async (): Promise<void> => {
      for (let image = pending.shift(); image !== undefined; image = pending.shift()) {
        delivery.signal.throwIfAborted();
        const isNew = await this.images.prepare(image, source);
        done += 1;
        if (isNew) await reportProgress();
      }
    };
    const stopOthers = (error: unknown): never => {
      pending.length = 0;
      throw error;
    };
    const renderings = Array.from({ length: concurrencyPerMaterial }, () => preparePending().catch(stopOthers));
    // Waits for all renderings even if one fails, so that none is running when the next attempt
    // begins
    const failed = (await Promise.allSettled(renderings)).find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await reportProgress();
    return images.length;
  }
}

/**
 * Appends `images.withdrawn`. Called after the deletion, because a cache that is purged earlier
 * could fetch the images again.
 */
async function appendWithdrawn({ event, once }: Delivery<'material.updated' | 'material.deleted'>): Promise<void> {
  const { materialId } = event.payload;
  await once((tx) => appendEvent(tx, 'images.withdrawn', { materialId }));
}
