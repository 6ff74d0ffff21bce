import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError, Transfer, transferTickMs } from '#kernel';
import { currentCall } from '#request-queue';

/** A body of more bytes than this waits for a permit. */
export const largeBody = 1024 * 1024;

export const largeBodyLimits = {
  /** Each may take 20 MB of memory until it is answered. */
  atOnce: 8,
  ofUser: 4,
  ofAddress: 6,
  waiting: 64,
  waitingOfUser: 8,
  waitingOfAddress: 16,
  waitMs: 10_000,
  /** How long an upload may be slower than the rates below. */
  graceMs: 5_000,
  /** A slower upload is given up, with or without others waiting. */
  bytesPerSecond: 64 * 1024,
  /** What 32 MB need to arrive within `requestMs`. While others wait the slowest of the slower ones is given up. */
  contestedBytesPerSecond: 512 * 1024,
} as const;

const limits = largeBodyLimits;

export interface Uploader {
  readonly userId: number;
  /** The network address, see address.ts. */
  readonly address: string;
}

/** The permit of one upload. */
export class UploadPermit extends Transfer {
  /** @param giveUp called at most once, when the upload is too slow */
  constructor(
    readonly uploader: Uploader,
    readonly giveUp: (error: DomainError) => void,
  ) {
    super();
  }
}

interface Waiting {
  readonly uploader: Uploader;
  readonly enter: () => void;
  readonly reject: () => void;
  /** As of a permit: an upload must not have waited too long before a slow one is given up for it. */
  ticks: number;
}

interface Share {
  readonly ofUser: number;
  readonly ofAddress: number;
}

function shareOf({ userId, address }: Uploader, all: readonly { readonly uploader: Uploader }[]): Share {
  return {
    ofUser: all.filter(({ uploader }) => uploader.userId === userId).length,
    ofAddress: all.filter(({ uploader }) => uploader.address === address).length,
  };
}

/**
 * Concurrency limit of requests with a large body, which bounds their memory; the others are not read until one has ended.
 * A user and an address have a part of the permits. Uploads have a minimum average rate, a higher one while others wait,
 * so that slow ones do not occupy the permits.
 */
@Injectable()
export class LargeBodies {
  private readonly open = new Map<FastifyRequest, UploadPermit>();
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * Waits until a large body may be read.
   *
   * @param giveUp rejects the request of an upload that is too slow; its permit is released already
   * @throws DomainError 503
   */
  async enter(
    request: FastifyRequest,
    uploader: Uploader,
    giveUp: (error: DomainError) => void,
  ): Promise<UploadPermit> {
    const aborted = currentCall()?.signal;
    const permit = new UploadPermit(uploader, (error) => {
      this.leave(request);
      giveUp(error);
    });
    if (this.open.size < limits.atOnce && this.hasShare(uploader)) this.acquire(request, permit);
    else await this.turn(request, permit, aborted);
    aborted?.addEventListener('abort', () => this.leave(request), { once: true });
    if (aborted?.aborted) this.leave(request);
    return permit;
  }

  /** Lets the next one in; a request that never entered changes nothing. */
  leave(request: FastifyRequest): void {
    if (!this.open.delete(request)) return;
    this.next()?.enter();
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private acquire(request: FastifyRequest, permit: UploadPermit): void {
    this.open.set(request, permit);
    this.timer ??= setInterval(() => this.tick(), transferTickMs).unref();
  }

  private hasShare(uploader: Uploader): boolean {
    const { ofUser, ofAddress } = shareOf(uploader, [...this.open.values()]);
    return ofUser < limits.ofUser && ofAddress < limits.ofAddress;
  }

  /** The one whose address has the fewest permits; of several the one that has waited longest. */
  private next(): Waiting | undefined {
    const open = [...this.open.values()];
    const permitsOf = ({ uploader }: Waiting): number => shareOf(uploader, open).ofAddress;
    return [...this.waiting]
      .filter(({ uploader }) => this.hasShare(uploader))
      .sort((one, other) => permitsOf(one) - permitsOf(other))[0];
  }

  private tick(): void {
    this.giveUpSlow();
    for (const it of this.waiting) {
      it.ticks += 1;
      if (it.ticks * transferTickMs >= limits.waitMs) it.reject();
    }
  }

  private giveUpSlow(): void {
    for (const permit of this.open.values()) permit.tick();
    const bySpeed = [...this.open.values()]
      .filter((permit) => permit.isOlderThan(limits.graceMs))
      .sort((one, other) => one.rate - other.rate);
    for (const permit of bySpeed) {
      if (permit.rate < limits.bytesPerSecond) permit.giveUp(tooSlow());
      else if (this.next() && permit.rate < limits.contestedBytesPerSecond) permit.giveUp(overloaded());
    }
  }

  private turn(request: FastifyRequest, permit: UploadPermit, aborted: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        this.waiting.delete(waiting);
        aborted?.removeEventListener('abort', rejectIt);
        settle();
      };
      const enter = end(() => {
        this.acquire(request, permit);
        resolve();
      });
      const rejectIt = end(() => reject(overloaded()));
      const waiting: Waiting = { uploader: permit.uploader, enter, reject: rejectIt, ticks: 0 };
      if (!this.mayWait(permit.uploader)) rejectIt();
      else {
        this.waiting.add(waiting);
        aborted?.addEventListener('abort', rejectIt, { once: true });
      }
    });
  }

  private mayWait(uploader: Uploader): boolean {
    const { ofUser, ofAddress } = shareOf(uploader, [...this.waiting]);
    const isWithinShare = ofUser < limits.waitingOfUser && ofAddress < limits.waitingOfAddress;
    return isWithinShare && this.waiting.size < limits.waiting;
  }
}

const retryAfter = { 'retry-after': '5' };
const overloaded = () =>
  new DomainError(problems['service.overloaded'], 'Too many large uploads at once.', undefined, retryAfter);
const tooSlow = () =>
  new DomainError(problems['request.timed-out'], 'The body arrived too slowly.', undefined, retryAfter);
