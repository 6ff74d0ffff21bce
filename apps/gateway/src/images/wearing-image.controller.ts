import { createHash } from 'node:crypto';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  nameText,
  type PayloadOf,
  type ReplyOf,
  revisionOf,
  type Services,
  wearingImageFormats,
  wearingImagePath,
} from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { BlobStore } from '#storage';
import { Public } from '../edge/routing/operation.decorator.js';
import { imageNotFound, notRenderedYet } from './image.errors.js';
import { ImageUseBatcher } from './image-use.batcher.js';

type Rendering = Services['material-rendering'];
type Wanted = PayloadOf<Rendering, 'wearing-images.render'>;

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
  async show(@Param('name') name: string, @Query('v') v: unknown, @Res() reply: FastifyReply): Promise<void> {
    const parsed = Name.safeParse(name.split('.'));
    if (!parsed.success) throw imageNotFound();
    const [itemName, format] = parsed.data;
    const wanted = revisionOf(v);
    const { key, version } = await this.rendered({ itemName, format, version: wanted });
    const bytes = await this.blobs.get(key);
    if (bytes === null) throw imageNotFound();
    this.uses.record(key);
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    // The image of another version must not be cached under this URL
    const caching = version === wanted ? 'public, max-age=86400' : 'no-store';
    await reply.headers({ etag, 'cache-control': caching }).type(`image/${format}`).send(bytes);
  }

  private async rendered(request: Wanted): Promise<ReplyOf<Rendering, 'wearing-images.render'>> {
    try {
      return await this.clients
        .of('material-rendering')
        .call('wearing-images.render', request, { timeoutMs: renderTimeoutMs });
    } catch (error) {
      throw error instanceof DomainError && error.status >= 503 ? notRenderedYet(error) : error;
    }
  }
}
