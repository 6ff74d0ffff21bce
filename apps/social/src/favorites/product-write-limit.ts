import { Injectable } from '@nestjs/common';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/**
 * Writes in flight for one product. A second one is on its way to the database while the first one commits; more would
 * only wait for the same row, each with a connection of the pool.
 */
const permitsPerProduct = 2;

/** The state of a product with a write in flight; without one it has none. */
interface Writes {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Concurrency limit of each product for statements that lock its counter, in this process. Excess writes wait in memory,
 * first come first served, no longer than their callers: they hold no connection, so that a popular product leaves the
 * rest of the pool to all other requests.
 */
@Injectable()
export class ProductWriteLimit {
  private readonly products = new Map<number, Writes>();

  /**
   * Runs a write of a product when a permit is free.
   *
   * @throws DomainError service.overloaded when the caller's deadline passes before that: nothing was written
   */
  async run<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const writes = this.products.get(productId) ?? { running: 0, waiting: new Set() };
    this.products.set(productId, writes);
    if (writes.running < permitsPerProduct) writes.running += 1;
    else await permitOf(writes);
    try {
      return await write();
    } finally {
      this.release(productId, writes);
    }
  }

  /** Passes the permit to the oldest waiting write. */
  private release(productId: number, writes: Writes): void {
    const [next] = writes.waiting;
    if (next) {
      next();
      return;
    }
    writes.running -= 1;
    if (writes.running === 0) this.products.delete(productId);
  }
}

/** Waits until a permit is passed on. */
function permitOf({ waiting }: Writes): Promise<void> {
  const signal = currentCall()?.signal;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(enter);
      signal?.removeEventListener('abort', expire);
    };
    const enter = (): void => {
      leave();
      resolve();
    };
    const expire = (): void => {
      leave();
      reject(tooLate());
    };
    waiting.add(enter);
    signal?.addEventListener('abort', expire, { once: true });
    if (signal?.aborted) expire();
  });
}

const tooLate = (): DomainError =>
  new DomainError(problems['service.overloaded'], 'Too many favorites of this product are waiting.', undefined, {
    'retry-after': '1',
  });
