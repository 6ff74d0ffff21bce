import { pictureKey, type PictureRequest, type PictureSource } from '#contracts';
import { currentCall } from '#request-queue';
import type { BlobStore } from '#storage';
import { failureOf, renderingMetrics } from '../rendering-metrics.js';
import type { PictureDrawer } from './picture.drawer.js';
import { drawingOf, itemOfKey } from './picture.js';
import { pictureNotFound } from './picture.errors.js';
import type { PictureQueries } from './picture.queries.js';

/** How long a picture is waited for, and what is left of the caller's own time for the answer to travel. */
const patienceMs = 8_000;
const travelMs = 500;

interface Found {
  readonly key: string;
  /** It was not there before. */
  readonly isNew: boolean;
}

/** Has pictures drawn that are missing, and removes those that are not right. */
export class PictureService {
  constructor(
    private readonly drawer: PictureDrawer,
    private readonly blobs: BlobStore,
    private readonly queries: PictureQueries,
    private readonly sizes: ReadonlySet<string>,
  ) {}

  /**
   * Makes sure that a picture is in the blob store; somebody waits for it.
   *
   * @returns its place there
   * @throws DomainError `picture.not-found`, `service.overloaded`
   */
  async render(request: PictureRequest): Promise<{ key: string }> {
    const { key } = await counted('asked', () => this.find(request));
    return { key };
  }

  private async find(request: PictureRequest): Promise<Found> {
    const size = `${request.width}x${request.height}`;
    if (!this.sizes.has(size)) throw pictureNotFound(`pictures of ${size} pixels are not drawn`);
    const key = pictureKey(request);
    if (await this.blobs.has(key)) return { key, isNew: false };
    const until = performance.now() + Math.min(patienceMs, (currentCall()?.remainingMs() ?? Infinity) - travelMs);
    let source = await this.queries.sourceOf(request);
    while (source !== null) {
      await this.draw(request, source, until);
      const now = await this.sourceAfter(request);
      if (now === null) await this.remove(request.materialId);
      else if (shows(now, request) !== shows(source, request)) await this.blobs.delete(key);
      // A drawing that was shared with somebody may have been stored just before an old picture was deleted here
      else if (await this.blobs.has(key)) return { key, isNew: true };
      source = now;
    }
    throw pictureNotFound();
  }

  /**
   * The material after a picture of it was stored. It may have changed while the picture was drawn, and the removal of
   * its old pictures may have come before this one was there. A picture that cannot be checked does not stay.
   */
  private async sourceAfter(request: PictureRequest): Promise<PictureSource | null> {
    try {
      return await this.queries.source(request.materialId, request.itemName);
    } catch (error) {
      await this.blobs.delete(pictureKey(request));
      throw error;
    }
  }

  /**
   * The same in the background, from a source that is known. Whoever calls looks after a change meanwhile.
   *
   * @returns false when it was there already
   */
  async prepare(request: PictureRequest, source: PictureSource): Promise<boolean> {
    const key = pictureKey(request);
    const { isNew } = await counted('prepared', async () => {
      if (await this.blobs.has(key)) return { key, isNew: false };
      await this.draw(request, source);
      return { key, isNew: true };
    });
    return isNew;
  }

  /** Removes the pictures of a material: all, or those of the named items. */
  async remove(materialId: number, items: 'all' | readonly string[] = 'all'): Promise<void> {
    for (const folder of [`pictures/${materialId}`, `adjusted/${materialId}`]) {
      if (items === 'all') await this.blobs.deleteBelow(folder);
      else if (items.length > 0) await this.removeItems(folder, new Set(items));
    }
  }

  private async removeItems(folder: string, items: ReadonlySet<string | undefined>): Promise<void> {
    for await (const key of this.blobs.below(folder)) if (items.has(itemOfKey(key))) await this.blobs.delete(key);
  }

  private async draw(request: PictureRequest, source: PictureSource, until?: number): Promise<void> {
    const drawing = drawingOf(source, request);
    if (drawing === null) throw pictureNotFound();
    await this.drawer.draw(pictureKey(request), drawing, until);
  }
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

/** What a picture shows, to compare. */
const shows = (source: PictureSource, request: PictureRequest): string => JSON.stringify(drawingOf(source, request));
