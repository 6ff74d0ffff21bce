import { createHash } from 'node:crypto';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  blankKey,
  onDemandKey,
  imagePath,
  imageTag,
  type ImageFormat,
  imageKey,
  type ImageRequest,
  verifySignature,
} from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { BlobStore } from '#storage';
import { GatewayEnv } from '../env.js';
import { matches } from '../edge/headers/entity-tag.js';
import { Public } from '../edge/routing/operation.decorator.js';
import { rangeOf } from './byte-range.rules.js';
import { cdnUrl } from './cdn-url.rules.js';
import { imageNotFound, notRenderedYet } from './image.errors.js';
import { ImageUseBatcher } from './image-use.batcher.js';
import { imageMetrics } from './image.metrics.js';
import { requestedImage } from '../edge/observability/requested-image.js';

const mediaTypes: Record<ImageFormat, string> = {
  webp: 'image/webp',
  jpg: 'image/jpeg',
  png: 'image/png',
  avif: 'image/avif',
};

/**
 * `Cache-Control` for URLs with the current revision, whose image never changes: a change gives the
 * product another revision.
 */
const currentCached = 'public, max-age=31536000, immutable';

/** `Cache-Control` for URLs with an outdated or forged revision, which return the current image. */
const otherCached = 'public, max-age=60';

interface StoredImage {
  readonly etag: string;
  /** Null if `If-None-Match` matches the entity tag. */
  readonly bytes: Buffer | null;
}

interface FoundImage extends StoredImage {
  /** True if the image has the revision in the URL. */
  readonly isCurrent: boolean;
}

/**
 * Returns the entity tag of stored bytes, without reading the bytes. The tag depends on the key,
 * because a URL can return images of several keys.
 */
const etagOf = (key: string, version: string): string =>
  `"${createHash('sha256').update(`${key} ${version}`).digest('base64url')}"`;

/**
 * Returns headers with the cache tag of the material, by which a CDN purges all its images: URLs of
 * adjusted images cannot be listed.
 */
function tagsOf({ materialId }: ImageRequest) {
  const tag = imageTag(materialId);
  return { 'cache-tag': tag, 'surrogate-key': tag };
}

/** Timeout of rendering an image for a client, over all attempts. */
const renderTimeoutMs = 10_000;

function failureOf(error: unknown): 'none' | 'not-yet' | 'failed' {
  if (!(error instanceof DomainError)) return 'failed';
  if (error.status === 404) return 'none';
  return error.status === 503 ? 'not-yet' : 'failed';
}

/**
 * Serves product images from the blob store. A missing image is rendered on its first request.
 */
@Controller()
export class ImageController {
  private readonly metrics = imageMetrics();

  constructor(
    private readonly env: GatewayEnv,
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
    private readonly uses: ImageUseBatcher,
  ) {}

  // Public: the signature in the URL is the permission
  @Public()
  @Get(`${imagePath}/*`)
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query('h') hash: unknown): Promise<void> {
    const image = this.requested(request, hash);
    const cdnLocation = cdnUrl(request, this.env.IMAGES_CDN_URL);
    if (cdnLocation !== undefined) {
      // Same lifetime as the image in the CDN
      const caching = { 'cache-control': `public, max-age=${this.env.IMAGE_SHARED_CACHE_SECONDS}`, ...tagsOf(image) };
      await reply
        .headers({ location: cdnLocation, ...caching })
        .status(307)
        .send();
      return;
    }
    // Not streamed: images are small, and a client that does not read cannot hold a file open
    const { etag, bytes, isCurrent } = await this.found(image, request.headers['if-none-match']);
    const range = bytes && rangeOf(request, { etag, size: bytes.length });
    void reply.headers({ etag, 'accept-ranges': 'bytes', ...this.cachingOf(image, isCurrent) });
    if (bytes === null) {
      await reply.status(304).send();
      return;
    }
    if (range) void reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${bytes.length}`);
    await reply.type(mediaTypes[image.format]).send(range ? bytes.subarray(range.start, range.end + 1) : bytes);
  }

  private cachingOf(image: ImageRequest, isCurrent: boolean) {
    const shared = `${currentCached}, s-maxage=${this.env.IMAGE_SHARED_CACHE_SECONDS}`;
    return { 'cache-control': isCurrent ? shared : otherCached, ...tagsOf(image) };
  }

  /** Returns the stored or rendered image. @param known `If-None-Match` of the client */
  private async found(image: ImageRequest, known: string | undefined): Promise<FoundImage> {
    try {
      const stored = await this.stored(image, known);
      const found = stored ? { ...stored, isCurrent: true } : await this.rendered(image, known);
      this.metrics.images.inc({ outcome: stored ? 'found' : 'rendered' });
      return found;
    } catch (error) {
      this.metrics.images.inc({ outcome: failureOf(error) });
      throw error;
    }
  }

  /**
   * Returns the stored image; null if none is stored. Also null for an image without print: its key
   * does not contain the material, so `material-rendering` has to check that the material has this
   * image.
   */
  private async stored(image: ImageRequest, known: string | undefined): Promise<StoredImage | null> {
    if (!image.printed) return null;
    const prepared = image.adjustment === null && !image.proof ? await this.read(imageKey(image), known) : null;
    return prepared ?? (await this.read(onDemandKey(image), known));
  }

  /**
   * Reads the image of a key and records its use; null if none is stored. The bytes are not read if
   * `known` matches the entity tag.
   */
  private async read(key: string, known: string | undefined): Promise<StoredImage | null> {
    if (known !== undefined) {
      const stat = await this.blobs.stat(key);
      if (stat === null) return null;
      const etag = etagOf(key, stat.version);
      if (matches(known, etag)) {
        this.uses.record(key);
        return { etag, bytes: null };
      }
    }
    const blob = await this.blobs.getVersioned(key);
    if (blob === null) return null;
    this.uses.record(key);
    return { etag: etagOf(key, blob.version), bytes: blob.bytes };
  }

  /**
   * Returns the image that a signed URL identifies. An invalid signature and an unsupported size
   * get the same 404 as any other unknown image.
   */
  private requested(request: FastifyRequest, hash: unknown): ImageRequest {
    const image = requestedImage(request);
    if (!image || !this.env.IMAGE_SIZES.has(`${image.width}x${image.height}`)) throw imageNotFound();
    const signed = typeof hash === 'string' ? verifySignature(image, hash, this.env.IMAGE_SIGNING_SECRET) : null;
    if (!signed) throw imageNotFound();
    return signed;
  }

  /**
   * Requests the rendering of an image and reads the result. Retries twice, because an update of
   * the material or a sweep may delete the image before the read.
   */
  private async rendered(image: ImageRequest, known: string | undefined): Promise<FoundImage> {
    const deadline = performance.now() + renderTimeoutMs;
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { key } = await this.render(image, deadline - performance.now());
      const stored = await this.read(key, known);
      const isCurrent = [imageKey, onDemandKey, blankKey].some((keyOf) => keyOf(image) === key);
      if (stored) return { ...stored, isCurrent };
    }
    throw imageNotFound();
  }

  private async render(image: ImageRequest, timeoutMs: number): Promise<{ key: string }> {
    try {
      return await this.clients.of('material-rendering').call('images.render', image, { timeoutMs });
    } catch (error) {
      throw error instanceof DomainError && error.status >= 503 ? notRenderedYet(error) : error;
    }
  }
}
