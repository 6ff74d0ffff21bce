import { Injectable } from '@nestjs/common';
import { withTimeout } from '#concurrency';
import {
  type PayloadOf,
  type PreviewArtwork,
  type PreviewImage,
  previewKey,
  type Services,
  type Texture,
} from '#contracts';
import { currentCall } from '#request-queue';
import { BlobStore } from '#storage';
import { RenderingEnv } from '../env.js';
import { imageNotFound } from '../images/image.errors.js';
import { ImageRenderer } from '../images/image.renderer.js';
import { renderTimeoutMs } from '../images/image.service.js';
import { rejectLate } from '../late-request.js';
import { overloaded } from '../overload.errors.js';
import { RenderEngine } from '#rendering/render-engine.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { TextureService } from '../textures/texture.service.js';
import {
  checkPreviewTextures,
  previewEnd,
  previewSpecOf,
  previewTextureKey,
  previewTexturesFolderOf,
} from './preview.rules.js';

type Source = PayloadOf<Services['material-rendering'], 'previews.prepare'>['source'];
type Stored = Pick<PreviewArtwork, 'key'> & Pick<Texture, 'hash' | 'width' | 'height' | 'dominantRgb' | 'animated'>;

/** Stores artworks of previews, and renders previews. Writes no row except that of an image. */
@Injectable()
export class PreviewService {
  constructor(
    private readonly env: RenderingEnv,
    private readonly textures: TextureService,
    private readonly rows: TextureRepository,
    private readonly blobs: BlobStore,
    private readonly engine: RenderEngine,
    private readonly renderer: ImageRenderer,
  ) {}

  /**
   * Stores the image of a request until its previews have expired, or finds a stored texture.
   *
   * @throws DomainError `texture.*`; `picture.not-found` for a missing texture;
   *   `service.overloaded`, `service.unavailable`, `service.no-answer`
   */
  async prepare(userId: number, source: Source): Promise<PreviewArtwork> {
    const end = previewEnd(new Date(), this.env.PREVIEW_SECONDS);
    const { hash, key, width, height, dominantRgb, animated } =
      source.kind === 'stored'
        ? await this.find(source.hash)
        : await this.textures.withTexture(userId, source, async (texture, upload, level) => {
            const textureKey = previewTextureKey(userId, texture, end);
            await this.store(userId, texture, upload, textureKey);
            if (level !== undefined) this.engine.addMeasured(texture.hash, level);
            return { ...texture, key: textureKey };
          });
    return { hash, key, width, height, dominantRgb, animated, ...end };
  }

  /**
   * Renders a preview if it is not stored. Rendering continues after the timeout, so that a retry
   * of the client finds the image.
   *
   * @throws DomainError `picture.not-found`, `service.overloaded`, and the errors of the blob store
   */
  async render(image: PreviewImage): Promise<{ key: string }> {
    const key = previewKey(image);
    const timeoutMs = renderTimeoutMs(currentCall());
    await withTimeout(this.renderer.render(key, previewSpecOf(image), 'interactive'), timeoutMs, () => {
      throw overloaded('image');
    });
    return { key };
  }

  private async find(hash: string): Promise<Stored> {
    const texture = await this.rows.find(hash);
    if (texture === null) throw imageNotFound('the image of the material is missing');
    return texture;
  }

  private async store(userId: number, texture: Texture, upload: string, key: string): Promise<void> {
    if (await this.blobs.has(key)) return;
    let usedBytes = 0;
    for await (const { size } of this.blobs.listStats(previewTexturesFolderOf(userId))) usedBytes += size;
    checkPreviewTextures(usedBytes, texture);
    rejectLate();
    if (!(await this.blobs.move(upload, key))) throw imageNotFound('the upload does not exist any more');
  }
}
