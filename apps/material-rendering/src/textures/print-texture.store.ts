import { Injectable } from '@nestjs/common';
import { BlobStore } from '#storage';
import type { PrintTexture, PyramidLevel } from '../pipeline/texture.js';
import { TextureDecoder } from './texture.decoder.js';
import { TextureRepository } from './texture.repository.js';

/** The textures that were taken in, for those who draw. */
@Injectable()
export class PrintTextureStore {
  constructor(
    private readonly decoder: TextureDecoder,
    private readonly blobs: BlobStore,
    private readonly textures: TextureRepository,
  ) {}

  /** Nothing is looked up before it is needed: most images come from levels that are still in memory. */
  of(hash: string): PrintTexture {
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

  private async level(hash: string, edge: number): Promise<PyramidLevel> {
    const texture = await this.textures.find(hash);
    const level = texture && (await this.blobs.withFile(texture.key, (path) => this.decoder.level(path, edge)));
    if (level === null) throw new Error(`texture ${hash} is missing in the blob store`);
    return level;
  }
}
