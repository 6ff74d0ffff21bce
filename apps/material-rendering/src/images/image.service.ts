import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '#concurrency';
import { drawnKey, imageKey, type ImageRequest, type ImageSource, storedImageOf } from '#contracts';
import { currentCall, runShared } from '#request-queue';
import { RenderingEnv } from '../env.js';
import { overloaded } from '../overload.errors.js';
import { failureOf, renderingMetrics } from '../rendering.metrics.js';
import { ImageRenderer } from './image.renderer.js';
import { type CurrentImage, currentImage, isOutdated } from './image.rules.js';
import { imageNotFound } from './image.errors.js';
import { ImageSourceCache } from './image-source.cache.js';
import { ImageStore } from './image.store.js';

/** How long an image is waited for, and what is left of the caller's own time for the answer to travel. */
const patienceMs = 8_000;
const travelMs = 500;

/** Before each further check of an image that could not be checked: an outage of up to 40 s, as each check may take 5 s. */
const checkPausesMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000];

interface Found {
  readonly key: string;
  /** It was not there before. */
  readonly isNew: boolean;
}

/** Has images drawn that are missing, and removes those that are not right. */
@Injectable()
export class ImageService {
  pausesMs = checkPausesMs;

  constructor(
    private readonly drawer: ImageRenderer,
    private readonly images: ImageStore,
    private readonly sources: ImageSourceCache,
    private readonly env: RenderingEnv,
  ) {}

  /**
   * Makes sure that an image is in the blob store as its material is now; a client waits for it. The work goes on when the
   * time is over: it ends with the check that the image may stay, and a client that asks again finds it.
   *
   * @returns its key: that of the current revision, whichever the request names
   * @throws DomainError `picture.not-found`, `service.overloaded`
   */
  async render(request: ImageRequest): Promise<{ key: string }> {
    const size = `${request.width}x${request.height}`;
    const { key } = await counted('asked', () => {
      if (!this.env.IMAGE_SIZES.has(size)) throw imageNotFound(`images of ${size} pixels are not drawn`);
      const waitMs = Math.min(patienceMs, (currentCall()?.remainingMs() ?? Infinity) - travelMs);
      // The work goes on after the timeout
      return withTimeout(
        runShared(() => this.find(request)),
        waitMs,
        () => {
          throw overloaded('image');
        },
      );
    });
    return { key };
  }

  private async find(request: ImageRequest): Promise<Found> {
    // The key of a blank image does not show whether its material may be seen
    if (request.printed)
      for (const key of [imageKey(request), drawnKey(request)])
        if (await this.images.has(key)) return { key, isNew: false };
    let source = await this.sources.sourceOf(request);
    while (source !== null) {
      const { key, drawing } = imageOf(source, request);
      if (await this.images.has(key)) return { key, isNew: false };
      await this.drawer.draw(key, drawing, 'interactive');
      const now = await this.sourceAfter(request, key);
      if (now === null) await this.remove(request.materialId);
      else if (shows(now, request) !== shows(source, request)) await this.images.delete(key);
      // A drawing that was shared with another request may have been stored just before an old image was deleted here
      else if (await this.images.has(key)) return { key, isNew: true };
      source = now;
    }
    throw imageNotFound();
  }

  /**
   * The material after an image of it was stored. It may have changed while the image was drawn, and the removal of its old
   * images may have come before this one was there. The check is repeated while the catalogue is away: a worker that prepares
   * the same image has seen it stored, and would not draw it again. An image that cannot be checked at all does not stay.
   */
  private async sourceAfter(request: ImageRequest, key: string): Promise<ImageSource | null> {
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
   * The same in the background, from a source that is known. The caller looks after a change meanwhile.
   *
   * @returns false when it was there already
   */
  async prepare(request: ImageRequest, source: ImageSource): Promise<boolean> {
    const { isNew } = await counted('prepared', async () => {
      const { key, drawing } = imageOf(source, request);
      if (await this.images.has(key)) return { key, isNew: false };
      await this.drawer.draw(key, drawing, 'background');
      return { key, isNew: true };
    });
    return isNew;
  }

  /** Deletes all images of a material. Blank ones are of no material. */
  async remove(materialId: number): Promise<void> {
    for (const folder of foldersOf(materialId)) await this.images.deleteBelow(folder);
  }

  /**
   * Deletes the images that a material does not have in its current state, see `isOutdated`.
   *
   * @param items whose images are deleted in any case, blank ones included
   */
  async removeOutdated(source: ImageSource, items: readonly string[] = []): Promise<void> {
    for (const item of items) await this.images.deleteBelow(`blanks/${item}`);
    for (const folder of foldersOf(source.materialId))
      for await (const key of this.images.below(folder))
        if (isOutdated(key, source) || items.includes(storedImageOf(key)?.itemName ?? ''))
          await this.images.delete(key);
  }
}

/** The version before stored adjusted images apart. */
const foldersOf = (materialId: number): string[] =>
  ['images', 'drawn', 'adjusted'].map((folder) => `${folder}/${materialId}`);

/** @throws DomainError `picture.not-found` */
function imageOf(source: ImageSource, request: ImageRequest): CurrentImage {
  const image = currentImage(source, request);
  if (image === null) throw imageNotFound();
  return image;
}

/** Notes what became of a wish for an image. */
async function counted(purpose: 'asked' | 'prepared', work: () => Promise<Found>): Promise<Found> {
  const { images } = renderingMetrics();
  try {
    const found = await work();
    images.inc({ purpose, outcome: found.isNew ? 'drawn' : 'found' });
    return found;
  } catch (error) {
    images.inc({ purpose, outcome: failureOf(error) });
    throw error;
  }
}

/** What an image shows and where it is stored, to compare. */
const shows = (source: ImageSource, request: ImageRequest): string => JSON.stringify(currentImage(source, request));
