import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath, isSigned, type PictureFormat, pictureKey, type PictureRequest, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { FolderBlobStore } from '#storage';
import { GATEWAY_ENV, type GatewayEnv } from '../env.js';
import { Public } from '../operations/operation.decorator.js';
import { requestedPicture } from './requested-picture.js';

const mediaTypes: Record<PictureFormat, string> = {
  webp: 'image/webp',
  jpg: 'image/jpeg',
  png: 'image/png',
  avif: 'image/avif',
};

const notFound = () => new DomainError(problems['picture.not-found'], 'There is no picture at this address.');

/** Product pictures: from the blob store, and drawn on the first request when nobody has drawn them yet. */
@Controller()
export class PictureController {
  constructor(
    @Inject(GATEWAY_ENV) private readonly env: GatewayEnv,
    @Inject(FolderBlobStore) private readonly blobs: FolderBlobStore,
    @Inject(QueueClients) private readonly clients: QueueClients,
  ) {}

  // Public: the signature in the address is the permission
  @Public()
  @Get(`${imagePath}/*`)
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query('h') hash: unknown): Promise<void> {
    const picture = this.requested(request, hash);
    const key = pictureKey(picture);
    // Whole, not as a stream: a picture is small, and no file stays open for a client that does not read
    const bytes = (await this.blobs.get(key)) ?? (await this.drawn(picture));
    // Of the bytes: a changed resize mode draws another picture for the same address
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    void reply.headers({
      etag,
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
    });
    await reply.type(mediaTypes[picture.format]).send(bytes);
  }

  /** A wrong signature and a size that is not drawn look like any other address without a picture. */
  private requested(request: FastifyRequest, hash: unknown): PictureRequest {
    const picture = requestedPicture(request);
    if (!picture || !this.env.PICTURE_SIZES.has(`${picture.width}x${picture.height}`)) throw notFound();
    if (typeof hash !== 'string' || !isSigned(picture, hash, this.env.IMAGE_SIGNING_SECRET)) throw notFound();
    return picture;
  }

  /** Drawn and gone again: an update of its material removes what may be old. Asked again, it is drawn anew. */
  private async drawn(picture: PictureRequest): Promise<Buffer> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { key } = await this.clients.of('material-rendering').call('pictures.render', picture);
      const bytes = await this.blobs.get(key);
      if (bytes) return bytes;
    }
    throw notFound();
  }
}
