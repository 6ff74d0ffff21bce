import { Injectable } from '@nestjs/common';
import { BlobStore } from '#storage';
import type { PrintTexture, PyramidLevel } from '#rendering/texture.js';
import { imageNotFound } from '../images/image.errors.js';
import type { RenderSpec } from '../images/image.rules.js';
import { TextureDecoder } from './texture.decoder.js';
import { TextureRepository } from './texture.repository.js';

/** Stored textures, for rendering. */
@Injectable()
export class PrintTextureStore {
  constructor(
    private readonly decoder: TextureDecoder,
    private readonly blobs: BlobStore,
    private readonly textures: TextureRepository,
  ) {}

  /**
   * Returns a texture that is loaded on first use: for most images, the cached levels are
   * sufficient.
   *
   * @param blob of an artwork without a row
   */
  of(hash: string, blob?: RenderSpec['blob']): PrintTexture {
    if (blob !== undefined) {
      const { key, aspect } = blob;
      return { hash, aspect: () => Promise.resolve(aspect), decode: (edge) => this.levelOfBlob(key, edge) };
    }
    return {
      hash,
      aspect: async () => {
        const texture = await this.textures.find(hash);
        if (texture === null) throw new Error(`texture ${hash} is not in the table`);
        return texture.width / texture.height;
      },
      decode: (edge) => this.level(hash, edge),
    };
  }

  /** @throws DomainError `picture.not-found` when the blob was deleted */
  private async levelOfBlob(key: string, edge: number): Promise<PyramidLevel> {
    const level = await this.blobs.withFile(key, (path) => this.decoder.level(path, edge));
    if (level === null) throw imageNotFound('the artwork was deleted');
    return level;
  }

  private async level(hash: string, edge: number): Promise<PyramidLevel> {
    const texture = await this.textures.find(hash);
    const level = texture && (await this.blobs.withFile(texture.key, (path) => this.decoder.level(path, edge)));
    if (level === null) throw new Error(`texture ${hash} is missing in the blob store`);
    return level;
  }
}
