import { createHash } from 'node:crypto';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  blankKey,
  drawnKey,
  imagePath,
  imageTag,
  type ImageFormat,
  imageKey,
  type ImageRequest,
  problems,
  signedRequest,
} from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { BlobStore } from '#storage';
import { GatewayEnv } from '../env.js';
import { matches } from '../edge/headers/entity-tag.js';
import { Public } from '../edge/routing/operation.decorator.js';
import { rangeOf } from './byte-range.rules.js';
import { cdnAddress } from './cdn-address.rules.js';
import { ImageUses } from './image-use.batcher.js';
import { imageMetrics } from './image.metrics.js';
import { requestedImage } from '../edge/observability/requested-image.js';

const mediaTypes: Record<ImageFormat, string> = {
  webp: 'image/webp',
  jpg: 'image/jpeg',
  png: 'image/png',
  avif: 'image/avif',
};

/** The image of a current address never becomes another one: a change gives the product another revision. */
const currentCached = 'public, max-age=31536000, immutable';

/** Of an address with another revision than the current one, or a forged one: answered with the current image. */
const otherCached = 'public, max-age=60';

interface StoredImage {
  readonly etag: string;
  /** Null when the client has them. */
  readonly bytes: Buffer | null;
}

interface FoundImage extends StoredImage {
  /** The address names the revision that the image is of. */
  readonly isNamed: boolean;
}

/** Of the stored bytes, without reading them. The key distinguishes the images that one address leads to. */
const etagOf = (key: string, version: string): string =>
  `"${createHash('sha256').update(`${key} ${version}`).digest('base64url')}"`;

/** Names all images of a material to a CDN, for a purge: addresses of adjusted images cannot be listed. */
function tagsOf({ materialId }: ImageRequest) {
  const tag = imageTag(materialId);
  return { 'cache-tag': tag, 'surrogate-key': tag };
}

/** How long a client waits at most for an image that is not drawn yet, in milliseconds. */
const drawnWithinMs = 10_000;

const notFound = () => new DomainError(problems['picture.not-found'], 'There is no image at this address.');

/** No answer in time stops no drawing: whoever comes again finds the image, and is told to. */
function notYet({ kind, status }: DomainError): DomainError {
  const busyOrDown = status === 504 ? problems['service.overloaded'] : kind;
  const headers = { 'retry-after': '2' };
  return new DomainError(busyOrDown, 'The image is not there yet; ask again in a moment.', undefined, headers);
}

function failureOf(error: unknown): 'none' | 'not-yet' | 'failed' {
  if (!(error instanceof DomainError)) return 'failed';
  if (error.status === 404) return 'none';
  return error.status === 503 ? 'not-yet' : 'failed';
}

/** Product images: from the blob store, and drawn on the first request when nobody has drawn them yet. */
@Controller()
export class ImageController {
  private readonly metrics = imageMetrics();

  constructor(
    private readonly env: GatewayEnv,
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
    private readonly uses: ImageUses,
  ) {}

  // Public: the signature in the address is the permission
  @Public()
  @Get(`${imagePath}/*`)
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query('h') hash: unknown): Promise<void> {
    const image = this.requested(request, hash);
    const elsewhere = cdnAddress(request, this.env.IMAGES_CDN_URL);
    if (elsewhere !== undefined) {
      // As long as the CDN may answer the image without asking
      const caching = { 'cache-control': `public, max-age=${this.env.IMAGE_SHARED_CACHE_SECONDS}`, ...tagsOf(image) };
      await reply
        .headers({ location: elsewhere, ...caching })
        .status(307)
        .send();
      return;
    }
    // Whole, not as a stream: an image is small, and no file stays open for a client that does not read
    const { etag, bytes, isNamed } = await this.found(image, request.headers['if-none-match']);
    const range = bytes && rangeOf(request, { etag, size: bytes.length });
    void reply.headers({ etag, 'accept-ranges': 'bytes', ...this.cachingOf(image, isNamed) });
    if (bytes === null) {
      await reply.status(304).send();
      return;
    }
    if (range) void reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${bytes.length}`);
    await reply.type(mediaTypes[image.format]).send(range ? bytes.subarray(range.start, range.end + 1) : bytes);
  }

  private cachingOf(image: ImageRequest, isNamed: boolean) {
    const shared = `${currentCached}, s-maxage=${this.env.IMAGE_SHARED_CACHE_SECONDS}`;
    return { 'cache-control': isNamed ? shared : otherCached, ...tagsOf(image) };
  }

  /** @param known `If-None-Match` of the client */
  private async found(image: ImageRequest, known: string | undefined): Promise<FoundImage> {
    try {
      const stored = await this.stored(image, known);
      const found = stored ? { ...stored, isNamed: true } : await this.drawn(image, known);
      this.metrics.images.inc({ outcome: stored ? 'found' : 'drawn' });
      return found;
    } catch (error) {
      this.metrics.images.inc({ outcome: failureOf(error) });
      throw error;
    }
  }

  /**
   * The stored image. Null when there is none, and for a blank image: its key does not contain the material, so
   * `material-rendering` has to check that the address leads to an image.
   */
  private async stored(image: ImageRequest, known: string | undefined): Promise<StoredImage | null> {
    if (!image.printed) return null;
    const prepared = image.adjustment === null ? await this.read(imageKey(image), known) : null;
    return prepared ?? (await this.read(drawnKey(image), known));
  }

  /** What is stored under a key; without its bytes when the client has them. */
  private async read(key: string, known: string | undefined): Promise<StoredImage | null> {
    if (known !== undefined) {
      const facts = await this.blobs.facts(key);
      if (facts === null) return null;
      const etag = etagOf(key, facts.version);
      if (matches(known, etag)) {
        this.uses.note(key);
        return { etag, bytes: null };
      }
    }
    const blob = await this.blobs.getVersioned(key);
    if (blob === null) return null;
    this.uses.note(key);
    return { etag: etagOf(key, blob.version), bytes: blob.bytes };
  }

  /** A wrong signature and a size that is not drawn look like any other address without an image. */
  private requested(request: FastifyRequest, hash: unknown): ImageRequest {
    const image = requestedImage(request);
    if (!image || !this.env.IMAGE_SIZES.has(`${image.width}x${image.height}`)) throw notFound();
    const signed = typeof hash === 'string' ? signedRequest(image, hash, this.env.IMAGE_SIGNING_SECRET) : null;
    if (!signed) throw notFound();
    return signed;
  }

  /** Drawn and already deleted: by an update of its material, or by the sweep. The next request draws it anew. */
  private async drawn(image: ImageRequest, known: string | undefined): Promise<FoundImage> {
    const deadline = performance.now() + drawnWithinMs;
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { key } = await this.askFor(image, deadline - performance.now());
      const stored = await this.read(key, known);
      const isNamed = [imageKey, drawnKey, blankKey].some((keyOf) => keyOf(image) === key);
      if (stored) return { ...stored, isNamed };
    }
    throw notFound();
  }

  private async askFor(image: ImageRequest, timeoutMs: number): Promise<{ key: string }> {
    try {
      return await this.clients.of('material-rendering').call('images.render', image, { timeoutMs });
    } catch (error) {
      throw error instanceof DomainError && error.status >= 503 ? notYet(error) : error;
    }
  }
}
