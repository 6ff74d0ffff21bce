import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath, isSigned, type PictureFormat, pictureKey, type PictureRequest, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { BlobStore } from '#storage';
import { GATEWAY_ENV, type GatewayEnv } from '../env.js';
import { Public } from '../operations/operation.decorator.js';
import { rangeOf } from './byte-range.js';
import { cdnAddress } from './cdn-address.js';
import { pictureMetrics } from './picture-metrics.js';
import { requestedPicture } from './requested-picture.js';

const mediaTypes: Record<PictureFormat, string> = {
  webp: 'image/webp',
  jpg: 'image/jpeg',
  png: 'image/png',
  avif: 'image/avif',
};

/** A day: a client that has seen a picture asks the CDN, and after a change of the setting soon somebody else. */
const redirectCached = 'public, max-age=86400';

/** How long a client waits at most for a picture that is not drawn yet, in milliseconds. */
const drawnWithinMs = 10_000;

const notFound = () => new DomainError(problems['picture.not-found'], 'There is no picture at this address.');

/** No answer in time stops no drawing: whoever comes again finds the picture, and is told to. */
function notYet({ kind, status }: DomainError): DomainError {
  const busyOrDown = status === 504 ? problems['service.overloaded'] : kind;
  const headers = { 'retry-after': '2' };
  return new DomainError(busyOrDown, 'The picture is not there yet; ask again in a moment.', undefined, headers);
}

function failureOf(error: unknown): 'none' | 'not-yet' | 'failed' {
  if (!(error instanceof DomainError)) return 'failed';
  if (error.status === 404) return 'none';
  return error.status === 503 ? 'not-yet' : 'failed';
}

/** Product pictures: from the blob store, and drawn on the first request when nobody has drawn them yet. */
@Controller()
export class PictureController {
  private readonly metrics = pictureMetrics();

  constructor(
    @Inject(GATEWAY_ENV) private readonly env: GatewayEnv,
    @Inject(BlobStore) private readonly blobs: BlobStore,
    @Inject(QueueClients) private readonly clients: QueueClients,
  ) {}

  // Public: the signature in the address is the permission
  @Public()
  @Get(`${imagePath}/*`)
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query('h') hash: unknown): Promise<void> {
    const picture = this.requested(request, hash);
    const elsewhere = cdnAddress(request, this.env.PICTURES_CDN_URL);
    if (elsewhere !== undefined) {
      await reply.headers({ location: elsewhere, 'cache-control': redirectCached }).status(307).send();
      return;
    }
    const key = pictureKey(picture);
    // Whole, not as a stream: a picture is small, and no file stays open for a client that does not read
    const bytes = await this.found(key, picture);
    // Of the bytes: a changed resize mode draws another picture for the same address
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    const range = rangeOf(request, { etag, size: bytes.length });
    void reply.headers({ etag, 'accept-ranges': 'bytes', 'cache-control': 'public, max-age=31536000, immutable' });
    if (range) void reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${bytes.length}`);
    await reply.type(mediaTypes[picture.format]).send(range ? bytes.subarray(range.start, range.end + 1) : bytes);
  }

  private async found(key: string, picture: PictureRequest): Promise<Buffer> {
    try {
      const stored = await this.blobs.get(key);
      const bytes = stored ?? (await this.drawn(picture));
      this.metrics.pictures.inc({ outcome: stored ? 'found' : 'drawn' });
      return bytes;
    } catch (error) {
      this.metrics.pictures.inc({ outcome: failureOf(error) });
      throw error;
    }
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
    const deadline = performance.now() + drawnWithinMs;
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { key } = await this.askFor(picture, deadline - performance.now());
      const bytes = await this.blobs.get(key);
      if (bytes) return bytes;
    }
    throw notFound();
  }

  private async askFor(picture: PictureRequest, timeoutMs: number): Promise<{ key: string }> {
    try {
      return await this.clients.of('material-rendering').call('pictures.render', picture, { timeoutMs });
    } catch (error) {
      throw error instanceof DomainError && error.status >= 503 ? notYet(error) : error;
    }
  }
}
