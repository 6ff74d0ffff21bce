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
  // The parent was killed and could not say goodbye. An orderly exit would wait for native threads: 13.6 s were seen
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // Terminals and supervisors may signal the whole group; the parent still needs answers while it drains, and ends us
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  say({ ready: true });
}
