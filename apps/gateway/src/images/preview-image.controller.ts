import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { parsePreviewPath, type PreviewImage, previewKey, previewPath, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { BlobStore } from '#storage';
import { GatewayEnv } from '../env.js';
import { Public } from '../edge/routing/operation.decorator.js';
import { imageNotFound, notRenderedYet } from './image.errors.js';
import { ImageUseBatcher } from './image-use.batcher.js';

/** Timeout of rendering a preview for a client. */
const renderTimeoutMs = 10_000;

/**
 * Serves previews from the blob store. A missing one is rendered on its first request. The URL
 * contains all parameters and its expiry.
 */
@Controller()
export class PreviewImageController {
  constructor(
    private readonly env: GatewayEnv,
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
    private readonly uses: ImageUseBatcher,
  ) {}

  // Public: the signature in the URL is the permission
  @Public()
  @Get(`${previewPath}/*`)
  async show(@Param('*') path: string, @Query('h') signature: unknown, @Res() reply: FastifyReply): Promise<void> {
    const { IMAGE_SIGNING_SECRET: secret } = this.env;
    const image = typeof signature === 'string' ? parsePreviewPath(path, signature, secret) : null;
    if (image === null) throw imageNotFound();
    const remainingSeconds = Math.floor(image.expiresAt - Date.now() / 1_000);
    if (remainingSeconds < 0)
      throw new DomainError(problems['preview.expired'], 'The preview has expired; request it again.');
    const key = previewKey(image);
    const bytes = (await this.blobs.get(key)) ?? (await this.rendered(image));
    this.uses.record(key);
    // Private: a shared cache would be a copy that outlives a deleted material
    const caching = `private, max-age=${remainingSeconds}, immutable`;
    await reply
      .headers({ etag: `"${key.split('/').at(-1)!.replace('.webp', '')}"`, 'cache-control': caching })
      .type('image/webp')
      .send(bytes);
  }

  private async rendered(image: PreviewImage): Promise<Buffer> {
    try {
      const { key } = await this.clients
        .of('material-rendering')
        .call('previews.render', image, { timeoutMs: renderTimeoutMs });
      const bytes = await this.blobs.get(key);
      if (bytes === null) throw imageNotFound();
      return bytes;
    } catch (error) {
      throw error instanceof DomainError && error.status >= 503 ? notRenderedYet(error) : error;
    }
  }
}
