import { pictureKey, type PictureRequest, type PictureSource } from '#contracts';
import type { BlobStore } from '#storage';
import { Gate, type Lane } from '../gate.js';
import type { PictureEngine, PrintTexture } from '../pipeline/picture-engine.js';
import { textureKey } from '../textures/texture.js';
import { drawingOf, type Drawing } from './picture.js';
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
    const source = await this.queries.sourceOf(request);
    if (source === null) throw pictureNotFound();
    await this.drawOnce(request, source, 'urgent');
    // Deleted while it was drawn: the removal of the pictures may have come before this one was stored
    if ((await this.queries.source(request.materialId, request.itemName)) === null) {
      await this.remove(request.materialId);
      throw pictureNotFound();
    }
    return { key };
  }

  /** Says that all pictures of a material will follow: its texture is then decoded once for all of them. */
  async announce({ textureHash }: PictureSource): Promise<void> {
    await this.engine.prepare(this.texture(textureHash));
  }

  /** The same in the background, from a source that is known. Whoever calls looks after a deletion meanwhile. */
  async prepare(request: PictureRequest, source: PictureSource): Promise<void> {
    if (await this.blobs.has(pictureKey(request))) return;
    await this.drawOnce(request, source, 'patient');
  }

  /** Removes all pictures of a material. */
  async remove(materialId: number): Promise<void> {
    await this.blobs.deleteBelow(`pictures/${materialId}`);
    await this.blobs.deleteBelow(`adjusted/${materialId}`);
  }

  /** The same picture is drawn once at a time, however many ask for it. */
  private drawOnce(request: PictureRequest, source: PictureSource, lane: Lane): Promise<void> {
    const key = pictureKey(request);
    const running = this.inFlight.get(key);
    if (running !== undefined) return running;
    const drawing = drawingOf(source, request);
    if (drawing === null) return Promise.reject(pictureNotFound());
    const drawn = this.gate.run(() => this.draw(key, drawing), lane).finally(() => this.inFlight.delete(key));
    this.inFlight.set(key, drawn);
    return drawn;
  }

  private async draw(key: string, { prints, resizeMode, ...drawing }: Drawing): Promise<void> {
    const bytes = await this.engine.draw({
      ...drawing,
      prints: prints.map(({ place, textureHash }) => ({
        place,
        texture: this.texture(textureHash),
        resizeMode,
      })),
    });
    await this.blobs.put(key, bytes);
  }

  private texture(hash: string): PrintTexture {
    const read = async (): Promise<Buffer> => {
      const bytes = await this.blobs.get(textureKey(hash));
      if (bytes === null) throw new Error(`texture ${hash} is missing in the blob store`);
      return bytes;
    };
    return { hash, read };
  }
}
