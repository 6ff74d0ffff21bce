import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { QueueReply } from '#request-queue';
import { BlobStore } from '#storage';
import type { TextureSource } from '#contracts';
import { extractedDataUri } from '../edge/bodies/json-body.js';
import { DataUri } from '../edge/bodies/data-uri.js';

/** A texture as sent by the client, and its path in the body. */
interface SentTexture {
  readonly text: string;
  readonly path: string;
}

/**
 * Returns true if material-rendering has received the uploads, which moves or deletes them: the
 * request has succeeded, and its reply was not stored by an earlier one.
 */
const wereReceived = ({ status, headers }: QueueReply): boolean =>
  status < 300 && headers['idempotency-replayed'] === undefined;

/**
 * Stores the bytes of data URIs in the blob store, because queue messages contain keys and never
 * uploads.
 */
@Injectable()
export class TextureUploadStore {
  constructor(private readonly blobs: BlobStore) {}

  /**
   * Runs `use` with a function that stores the texture if it is a data URI, and returns its source.
   * Then deletes the uploads that material-rendering may not have received.
   */
  async during(
    request: FastifyRequest,
    use: (store: (texture: SentTexture) => Promise<TextureSource>) => Promise<QueueReply>,
  ): Promise<QueueReply> {
    const keys: string[] = [];
    const store = async ({ text, path }: SentTexture): Promise<TextureSource> => {
      if (!/^data:/i.test(text)) return { kind: 'url', url: text };
      const bytes = (extractedDataUri(request, text) ?? new DataUri(text)).bytes(path);
      const key = `uploads/${randomUUID()}`;
      keys.push(key);
      await this.blobs.putTemporary(key, bytes);
      return { kind: 'upload', key };
    };
    let reply: QueueReply | undefined;
    try {
      reply = await use(store);
      return reply;
    } finally {
      // Failures do not affect the response: UploadSweeper of material-rendering deletes the
      // remaining uploads later
      if (!reply || !wereReceived(reply)) await Promise.allSettled(keys.map((key) => this.blobs.delete(key)));
    }
  }
}
