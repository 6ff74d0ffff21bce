import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BlobStore } from '#storage';
import type { TextureSource } from '#contracts';
import { takenDataUri } from '../edge/bodies/json-body.js';
import { DataUri } from '../edge/bodies/data-uri.js';

/** A texture as a client wrote it, and its path in the body. */
interface WrittenTexture {
  readonly text: string;
  readonly path: string;
}

/**
 * Puts the bytes of data URIs into the blob store, because a queue frame carries a key and never an upload. The uploads
 * live as long as the request.
 */
@Injectable()
export class TextureUploads {
  constructor(private readonly blobs: BlobStore) {}

  /** Runs `use` with a function that turns a written texture into its source, and removes the uploads afterwards. */
  async during<R>(
    request: FastifyRequest,
    use: (store: (texture: WrittenTexture) => Promise<TextureSource>) => Promise<R>,
  ): Promise<R> {
    const keys: string[] = [];
    const store = async ({ text, path }: WrittenTexture): Promise<TextureSource> => {
      if (!/^data:/i.test(text)) return { kind: 'url', url: text };
      const bytes = (takenDataUri(request, text) ?? new DataUri(text)).bytes(path);
      const key = `uploads/${randomUUID()}`;
      keys.push(key);
      await this.blobs.put(key, bytes);
      return { kind: 'upload', key };
    };
    try {
      return await use(store);
    } finally {
      // What cannot be deleted now is swept later; the answer stands either way
      await Promise.allSettled(keys.map((key) => this.blobs.delete(key)));
    }
  }
}
