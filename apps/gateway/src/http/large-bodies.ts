import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/** A body from this size on, in bytes, waits for its turn. */
const large = 1024 * 1024;

/** Each may hold 20 MB until it is answered. */
const mostAtOnce = 8;
const mostWaiting = 64;
const longestWaitMs = 10_000;

/** Bounds the memory of uploads: so many requests with a large body at once; the others are not read until one has ended. */
@Injectable()
export class LargeBodies {
  private open = 0;
  private readonly waiting = new Set<() => void>();
  private readonly entered = new WeakSet<FastifyRequest>();

  /**
   * Waits until the body may be read.
   *
   * @param bytes what the client announced, or the most that it may send
   * @throws DomainError 503
   */
  async enter(request: FastifyRequest, bytes: number): Promise<void> {
    if (bytes <= large) return;
    const gone = currentCall()?.signal;
    if (this.open >= mostAtOnce) await this.turn(gone);
    else this.open++;
    this.entered.add(request);
    gone?.addEventListener('abort', () => this.leave(request), { once: true });
    if (gone?.aborted) this.leave(request);
  }

  /** Lets the next one in; a request that never entered changes nothing. */
  leave(request: FastifyRequest): void {
    if (!this.entered.delete(request)) return;
    const [next] = this.waiting;
    if (next) next();
    else this.open--;
  }

  /** Resolves with the place of one that leaves. */
  private turn(gone: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        clearTimeout(timer);
        this.waiting.delete(enter);
        gone?.removeEventListener('abort', refuse);
        settle();
      };
      const enter = end(resolve);
      const refuse = end(() => reject(overloaded()));
      const timer = setTimeout(refuse, longestWaitMs);
      if (this.waiting.size >= mostWaiting) refuse();
      else {
        this.waiting.add(enter);
        gone?.addEventListener('abort', refuse, { once: true });
      }
    });
  }
}

const overloaded = () =>
  new DomainError(problems['service.overloaded'], 'Too many large uploads at once.', undefined, { 'retry-after': '5' });
