import { createHash } from 'node:crypto';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { nameText, wearingImageFormats, wearingImagePath } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { BlobStore } from '#storage';
import { Public } from '../edge/routing/operation.decorator.js';
import { imageNotFound, notRenderedYet } from './image.errors.js';
import { ImageUseBatcher } from './image-use.batcher.js';

/** Timeout of rendering an image for a client. */
const renderTimeoutMs = 10_000;

const Name = z.tuple([nameText.max(64), z.enum(wearingImageFormats)]);

/**
 * Serves images of worn items from the blob store. A missing one is rendered on its first request.
 */
@Controller()
export class WearingImageController {
  constructor(
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
    private readonly uses: ImageUseBatcher,
  ) {}

  @Public()
  @Get(`${wearingImagePath}/:name`)
  async show(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const parsed = Name.safeParse(name.split('.'));
    if (!parsed.success) throw imageNotFound();
    const [itemName, format] = parsed.data;
    const key = await this.keyOf(itemName, format);
    const bytes = await this.blobs.get(key);
    if (bytes === null) throw imageNotFound();
    this.uses.record(key);
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    await reply.headers({ etag, 'cache-control': 'public, max-age=86400' }).type(`image/${format}`).send(bytes);
  }

  private async keyOf(itemName: string, format: (typeof wearingImageFormats)[number]): Promise<string> {
    try {
      const request = { itemName, format };
      const { key } = await this.clients
        .of('material-rendering')
        .call('wearing-images.render', request, { timeoutMs: renderTimeoutMs });
      return key;
    } catch (error) {
      throw error instanceof DomainError && error.status >= 503 ? notRenderedYet(error) : error;
    }
  }
}
