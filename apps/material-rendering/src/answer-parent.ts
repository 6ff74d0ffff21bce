import type { FromChild } from './bounded-child.js';

/**
 * The other side of a `BoundedChild`: answers its orders. This process holds no connection and no secret, its memory is
 * bounded, and whoever started it kills it when it takes too long: nothing else stops native code. An order that fails
 * ends the process.
 */
export function answerParent<Order>(work: (order: Order) => Promise<unknown>): void {
  const say = (message: FromChild): void => {
    process.send?.(message);
  };
  process.on('message', ({ id, ...order }: { readonly id: number } & Order) => {
    void work(order as Order).then((answer) => say({ id, answer, memory: process.memoryUsage.rss() }));
  });
  // Also when the parent is killed and cannot say goodbye
  process.on('disconnect', () => process.exit(0));
  // A terminal sends its Ctrl-C to the whole group; the parent still needs an answer while it drains
  process.on('SIGINT', () => undefined);
  say({ ready: true });
}
