import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '#concurrency';
import { onDemandKey, imageKey, type ImageRequest, type ImageSource, storedImageOf } from '#contracts';
import { currentCall, runShared } from '#request-queue';
import { RenderingEnv } from '../env.js';
import { overloaded } from '../overload.errors.js';
import { failureLabel, renderingMetrics } from '#rendering/rendering.metrics.js';
import { ImageRenderer } from './image.renderer.js';
import { type CurrentImage, currentImage, isOutdated } from './image.rules.js';
import { imageNotFound } from './image.errors.js';
import { ImageSourceCache } from './image-source.cache.js';
import { ImageStore } from './image.store.js';

/** Timeout of a request for an image. */
const maxRenderTimeoutMs = 8_000;
/** Part of the caller's remaining time that is reserved for the reply. */
const replyMarginMs = 500;

/** Returns the timeout for rendering an image for a caller. */
export const renderTimeoutMs = (call: ReturnType<typeof currentCall>): number =>
  Math.min(maxRenderTimeoutMs, (call?.remainingMs() ?? Infinity) - replyMarginMs);

/**
 * Pauses between the attempts to check a stored image against the catalog. They cover an outage
 * of 15 s, and up to 40 s when each attempt takes the maximum of 5 s.
 */
const checkPausesMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000];

interface FoundImage {
  readonly key: string;
  /** True when the image was rendered, false when it was stored before. */
  readonly isNew: boolean;
}

/** Renders missing images, and deletes outdated ones. */
@Injectable()
export class ImageService {
  pausesMs = checkPausesMs;

  constructor(
    private readonly renderer: ImageRenderer,
    private readonly images: ImageStore,
    private readonly sources: ImageSourceCache,
    private readonly env: RenderingEnv,
  ) {}

  /**
   * Ensures that an image of the material's current state is in the blob store, while a client
   * waits. After a timeout the work continues up to the check of the stored image, so that a retry
   * of the client finds it.
   *
   * @returns the key of the current revision, for any revision in the request; that of the
   *   requested revision if its image is stored
   * @throws DomainError `picture.not-found`, `service.overloaded`, and the errors of the catalog
   *   and the blob store
   */
  async render(request: ImageRequest): Promise<{ key: string }> {
    const size = `${request.width}x${request.height}`;
    const { key } = await counted('requested', () => {
      if (!this.env.IMAGE_SIZES.has(size)) throw imageNotFound(`images of ${size} pixels are not available`);
      // The work continues after the timeout
      return withTimeout(
        runShared(() => this.find(request)),
        renderTimeoutMs(currentCall()),
        () => {
          throw overloaded('image');
        },
      );
    });
    return { key };
  }

  private async find(request: ImageRequest): Promise<FoundImage> {
    // Only for printed images: the key of a blank image does not reveal whether its material may be
    // shown
    if (request.printed)
      for (const key of [imageKey(request), onDemandKey(request)])
        if (await this.images.has(key)) return { key, isNew: false };
    let source = await this.sources.sourceOf(request);
    while (source !== null) {
      const { key, spec } = imageOf(source, request);
      if (await this.images.has(key)) return { key, isNew: false };
      await this.renderer.render(key, spec, 'interactive');
      const now = await this.sourceAfterStoring(request, key);
      if (now === null) await this.deleteAll(request.materialId);
      else if (comparable(now, request) !== comparable(source, request)) await this.images.delete(key);
      // The image is missing if a shared rendering stored it just before this request deleted an
      // outdated image with the same key. Then the loop repeats
      else if (await this.images.has(key)) return { key, isNew: true };
      source = now;
    }
    throw imageNotFound();
  }

  /**
   * Reads the material again after an image of it was stored, so that the caller deletes an image
   * that is outdated by now. Null if the material is missing. A failed read is retried
   * (`checkPausesMs`) before the image is deleted unchecked: a worker may have skipped the image
   * because it was stored, and would not render it again.
   *
   * @throws the error of the last attempt, after deleting the image
   */
  private async sourceAfterStoring(request: ImageRequest, key: string): Promise<ImageSource | null> {
    const pauses = this.pausesMs.values();
    for (;;) {
      try {
        return await this.sources.source(request.materialId, request.itemName);
      } catch (error) {
        const { value: pauseMs, done } = pauses.next();
        if (done) {
          await this.images.delete(key);
          throw error;
        }
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }

  /**
   * Ensures that an image of the given state is stored, as background work. The caller checks
   * afterwards whether the material has changed.
   *
   * @returns false when it was stored before
   * @throws DomainError `picture.not-found`
   */
  async prepare(request: ImageRequest, source: ImageSource): Promise<boolean> {
    const { isNew } = await counted('prepared', async () => {
      const { key, spec } = imageOf(source, request);
      if (await this.images.has(key)) return { key, isNew: false };
      await this.renderer.render(key, spec, 'background');
      return { key, isNew: true };
    });
    return isNew;
  }

  /** Deletes all images of a material, except blank ones, which belong to no material. */
  async deleteAll(materialId: number): Promise<void> {
    for (const folder of foldersOf(materialId)) await this.images.deletePrefix(folder);
  }

  /**
   * Deletes the outdated images of a material, see `isOutdated` in image.rules.ts.
   *
   * @param items whose images of this material are deleted even if they are not outdated; their
   *   blank images, which all materials share, are deleted too
   */
  async deleteOutdated(source: ImageSource, items: readonly string[] = []): Promise<void> {
    for (const item of items) await this.images.deletePrefix(`blanks/${item}`);
    for (const folder of foldersOf(source.materialId))
      for await (const key of this.images.list(folder))
        if (isOutdated(key, source) || items.includes(storedImageOf(key)?.itemName ?? ''))
          await this.images.delete(key);
  }
}

/** `adjusted` contains images of an earlier version, which stored adjusted images separately. */
const foldersOf = (materialId: number): string[] =>
  ['images', 'drawn', 'adjusted'].map((folder) => `${folder}/${materialId}`);

/** @throws DomainError `picture.not-found` */
function imageOf(source: ImageSource, request: ImageRequest): CurrentImage {
  const image = currentImage(source, request);
  if (image === null) throw imageNotFound();
  return image;
}

/** Runs `work` and counts its outcome. */
async function counted(purpose: 'requested' | 'prepared', work: () => Promise<FoundImage>): Promise<FoundImage> {
  const { images } = renderingMetrics();
  try {
    const found = await work();
    images.inc({ purpose, outcome: found.isNew ? 'rendered' : 'found' });
    return found;
  } catch (error) {
    images.inc({ purpose, outcome: failureLabel(error) });
    throw error;
  }
}

/** Returns key and parameters of an image as a text, for comparisons. */
const comparable = (source: ImageSource, request: ImageRequest): string =>
  JSON.stringify(currentImage(source, request));
