import { pictureKey, type PictureRequest, type PictureSource } from '#contracts';
import type { BlobStore } from '#storage';
import { Gate, type Lane } from '../gate.js';
import type { PictureEngine } from '../pipeline/picture-engine.js';
import type { StoredTextures } from '../textures/stored-textures.js';
import { drawingOf, itemOfKey, type Drawing } from './picture.js';
import { pictureNotFound } from './picture.errors.js';
import type { PictureQueries } from './picture.queries.js';

/** Two to four drawings at once use two cores best, see the pipeline. */
const drawnAtOnce = 4;

/** Draws pictures and stores them. */
export class PictureService {
  private readonly gate = new Gate({ of: 'picture', places: drawnAtOnce, waiting: 100, patienceMs: 8_000 });
  private readonly inFlight = new Map<string, Promise<void>>();

  constructor(
    private readonly engine: PictureEngine,
    private readonly textures: StoredTextures,
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
    const size = `${request.width}x${request.height}`;
    if (!this.sizes.has(size)) throw pictureNotFound(`pictures of ${size} pixels are not drawn`);
    const key = pictureKey(request);
    if (await this.blobs.has(key)) return { key };
    let source = await this.queries.sourceOf(request);
    while (source !== null) {
      await this.drawOnce(request, source, 'urgent');
      const now = await this.sourceAfter(request);
      if (now === null) await this.remove(request.materialId);
      else if (shows(now, request) !== shows(source, request)) await this.blobs.delete(key);
      // A drawing that was shared with somebody may have been stored just before an old picture was deleted here
      else if (await this.blobs.has(key)) return { key };
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

  /** The same in the background, from a source that is known. Whoever calls looks after a change meanwhile. */
  async prepare(request: PictureRequest, source: PictureSource): Promise<void> {
    if (await this.blobs.has(pictureKey(request))) return;
    await this.drawOnce(request, source, 'patient');
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

  /** The same picture of the same state of the material is drawn once at a time, however many ask for it. */
  private drawOnce(request: PictureRequest, source: PictureSource, lane: Lane): Promise<void> {
    const drawing = drawingOf(source, request);
    if (drawing === null) return Promise.reject(pictureNotFound());
    const key = pictureKey(request);
    const id = `${key} ${JSON.stringify(drawing)}`;
    const running = this.inFlight.get(id);
    if (running !== undefined) return running;
    const drawn = this.gate.run(() => this.draw(key, drawing), lane).finally(() => this.inFlight.delete(id));
    this.inFlight.set(id, drawn);
    return drawn;
  }

  private async draw(key: string, { prints, resizeMode, ...drawing }: Drawing): Promise<void> {
    const bytes = await this.engine.draw({
      ...drawing,
      prints: prints.map(({ place, textureHash }) => ({
        place,
        texture: this.textures.of(textureHash),
        resizeMode,
      })),
    });
    await this.blobs.put(key, bytes);
  }
}

/** What a picture shows, to compare. */
const shows = (source: PictureSource, request: PictureRequest): string => JSON.stringify(drawingOf(source, request));
