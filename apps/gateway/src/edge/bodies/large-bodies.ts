import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { Transfer, TransferLimiter } from '#concurrency';
import { problems, textureBodyLimit } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/** Larger bodies need a permit. */
export const largeBody = 1024 * 1024;

export const largeBodyLimits = {
  /** Each may take 20 MB of memory until its response. */
  permits: 8,
  ofUser: 4,
  ofAddress: 6,
  maxWaiting: 64,
  waitingOfUser: 8,
  waitingOfAddress: 16,
  timeoutMs: 10_000,
  graceMs: 5_000,
  bytesPerSecond: 64 * 1024,
  contestedGraceMs: 5_000,
  /** Rate at which 30 MB arrive in a minute. */
  contestedBytesPerSecond: 512 * 1024,
} as const;

const limits = largeBodyLimits;

/**
 * Time that a large body of the announced length takes at the minimum rate. 0 for other bodies, and
 * for bodies without a Content-Length.
 */
export function largeBodyMs({ 'content-length': announced }: IncomingHttpHeaders): number {
  const bytes = Math.min(Number(announced ?? 0), textureBodyLimit);
  return bytes > largeBody ? Math.ceil((bytes / limits.bytesPerSecond) * 1_000) : 0;
}

interface Uploader {
  readonly userId: number;
  /** Network address, see connections/address.ts. */
  readonly address: string;
}

export class UploadPermit extends Transfer {
  constructor(readonly uploader: Uploader) {
    super();
  }
}

const userOf = ({ uploader }: UploadPermit) => uploader.userId;
const addressOf = ({ uploader }: UploadPermit) => uploader.address;

/**
 * Concurrency limit of requests with large bodies, which limits their memory. Further bodies are
 * read when a permit is released.
 */
@Injectable()
export class LargeBodies {
  private readonly permits = new WeakMap<FastifyRequest, UploadPermit>();
  private readonly limiter = new TransferLimiter<UploadPermit>({
    ...limits,
    shares: [
      { by: userOf, permits: limits.ofUser, maxWaiting: limits.waitingOfUser },
      { by: addressOf, permits: limits.ofAddress, maxWaiting: limits.waitingOfAddress },
    ],
    fairBy: addressOf,
    tooSlow,
    overloaded,
  });

  /**
   * Waits until a large body may be read.
   *
   * @param abort rejects the request of a slow upload, whose permit is already released
   * @throws DomainError 503
   */
  async acquire(
    request: FastifyRequest,
    uploader: Uploader,
    abort: (error: DomainError) => void,
  ): Promise<UploadPermit> {
    const aborted = currentCall()?.signal;
    if (aborted?.aborted) throw overloaded();
    const permit = new UploadPermit(uploader);
    this.permits.set(request, permit);
    const acquired = this.limiter.acquire(permit);
    aborted?.addEventListener('abort', () => this.release(request), { once: true });
    await acquired;
    permit.signal.addEventListener('abort', () => abort(permit.signal.reason as DomainError));
    return permit;
  }

  /** Releases the permit of a request, if it has one. */
  release(request: FastifyRequest): void {
    const permit = this.permits.get(request);
    if (permit) this.limiter.release(permit);
  }
}

const retryAfter = { 'retry-after': '5' };
const overloaded = () =>
  new DomainError(problems['service.overloaded'], 'Too many concurrent large uploads.', undefined, retryAfter);
const tooSlow = () =>
  new DomainError(problems['request.timed-out'], 'The body arrived too slowly.', undefined, retryAfter);
