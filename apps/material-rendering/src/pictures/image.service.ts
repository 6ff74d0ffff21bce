import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '#concurrency';
import { drawnKey, pictureKey, type PictureRequest, type PictureSource, storedImageOf } from '#contracts';
import { currentCall, runShared } from '#request-queue';
import { RenderingEnv } from '../env.js';
import { overloaded } from '../overload.errors.js';
import { failureOf, renderingMetrics } from '../rendering.metrics.js';
import { ImageRenderer } from './image.renderer.js';
import { type CurrentImage, currentImage, isOutdated } from './image.rules.js';
import { pictureNotFound } from './image.errors.js';
import { ImageSourceCache } from './image-source.cache.js';
import { ImageStore } from './image.store.js';

/** How long a picture is waited for, and what is left of the caller's own time for the answer to travel. */
const patienceMs = 8_000;
const travelMs = 500;

/** Before each further check of an image that could not be checked: an outage of up to 40 s, as each check may take 5 s. */
const checkPausesMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000];

interface Found {
  readonly key: string;
  /** It was not there before. */
  readonly isNew: boolean;
}

/** Has pictures drawn that are missing, and removes those that are not right. */
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
  async render(request: PictureRequest): Promise<{ key: string }> {
    const size = `${request.width}x${request.height}`;
    const { key } = await counted('asked', () => {
      if (!this.env.PICTURE_SIZES.has(size)) throw pictureNotFound(`pictures of ${size} pixels are not drawn`);
      const waitMs = Math.min(patienceMs, (currentCall()?.remainingMs() ?? Infinity) - travelMs);
      // The work goes on after the timeout
      return withTimeout(
        runShared(() => this.find(request)),
        waitMs,
        () => {
          throw overloaded('picture');
        },
      );
    });
    return { key };
  }

  private async find(request: PictureRequest): Promise<Found> {
    // The key of a blank image does not show whether its material may be seen
    if (request.printed)
      for (const key of [pictureKey(request), drawnKey(request)])
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
    throw pictureNotFound();
  }

  /**
   * The material after an image of it was stored. It may have changed while the image was drawn, and the removal of its old
   * images may have come before this one was there. The check is repeated while the catalogue is away: a worker that prepares
   * the same image has seen it stored, and would not draw it again. An image that cannot be checked at all does not stay.
   */
  private async sourceAfter(request: PictureRequest, key: string): Promise<PictureSource | null> {
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
  async prepare(request: PictureRequest, source: PictureSource): Promise<boolean> {
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
  async removeOutdated(source: PictureSource, items: readonly string[] = []): Promise<void> {
    for (const item of items) await this.images.deleteBelow(`blanks/${item}`);
    for (const folder of foldersOf(source.materialId))
      for await (const key of this.images.below(folder))
        if (isOutdated(key, source) || items.includes(storedImageOf(key)?.itemName ?? ''))
          await this.images.delete(key);
  }
}

/** The version before stored adjusted images apart. */
const foldersOf = (materialId: number): string[] =>
  ['pictures', 'drawn', 'adjusted'].map((folder) => `${folder}/${materialId}`);

/** @throws DomainError `picture.not-found` */
function imageOf(source: PictureSource, request: PictureRequest): CurrentImage {
  const image = currentImage(source, request);
  if (image === null) throw pictureNotFound();
  return image;
}

/** Notes what became of a wish for a picture. */
async function counted(purpose: 'asked' | 'prepared', work: () => Promise<Found>): Promise<Found> {
  const { pictures } = renderingMetrics();
  try {
    const found = await work();
    pictures.inc({ purpose, outcome: found.isNew ? 'drawn' : 'found' });
    return found;
  } catch (error) {
    pictures.inc({ purpose, outcome: failureOf(error) });
    throw error;
  }
}

/** What an image shows and where it is stored, to compare. */
const shows = (source: PictureSource, request: PictureRequest): string => JSON.stringify(currentImage(source, request));
