import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/** A body of more bytes than this waits for its turn. */
export const largeBody = 1024 * 1024;

/** Each may hold 20 MB until it is answered. */
const mostAtOnce = 8;
/** One user leaves room for others. */
const mostOfUser = 4;
const mostWaiting = 64;
const longestWaitMs = 10_000;

interface Waiting {
  readonly userId: number;
  readonly enter: () => void;
}

/** Bounds the memory of uploads: so many requests with a large body at once; the others are not read on until one has ended. */
@Injectable()
export class LargeBodies {
  private readonly open = new Map<FastifyRequest, number>();
  private readonly waiting = new Set<Waiting>();

  /**
   * Waits until a body that has turned out to be large may be read on.
   *
   * @throws DomainError 503
   */
  async enter(request: FastifyRequest, userId: number): Promise<void> {
    const gone = currentCall()?.signal;
    if (this.hasRoomFor(userId)) this.open.set(request, userId);
    else await this.turn(request, userId, gone);
    gone?.addEventListener('abort', () => this.leave(request), { once: true });
    if (gone?.aborted) this.leave(request);
  }

  /** Lets the next one in; a request that never entered changes nothing. */
  leave(request: FastifyRequest): void {
    if (!this.open.delete(request)) return;
    for (const next of this.waiting) {
      if (!this.hasRoomFor(next.userId)) continue;
      next.enter();
      return;
    }
  }

  private hasRoomFor(userId: number): boolean {
    const open = [...this.open.values()];
    return open.length < mostAtOnce && open.filter((id) => id === userId).length < mostOfUser;
  }

  private turn(request: FastifyRequest, userId: number, gone: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        gone?.removeEventListener('abort', refuse);
        settle();
      };
      const enter = end(() => {
        this.open.set(request, userId);
        resolve();
      });
      const waiting: Waiting = { userId, enter };
      const refuse = end(() => reject(overloaded()));
      const timer = setTimeout(refuse, longestWaitMs);
      if (this.waiting.size >= mostWaiting) refuse();
      else {
        this.waiting.add(waiting);
        gone?.addEventListener('abort', refuse, { once: true });
      }
    });
  }
}

const overloaded = () =>
  new DomainError(problems['service.overloaded'], 'Too many large uploads at once.', undefined, { 'retry-after': '5' });
