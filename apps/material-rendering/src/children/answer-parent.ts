import { Socket } from 'node:net';
import { childDescriptor, type FrameMessage, FrameReader, writeFrame } from './child-frames.js';

/**
 * The other side of a `BoundedChild`: answers its orders. This process has no connection and no secret, its memory is
 * bounded, and its parent kills it when it takes too long: nothing else stops native code. An order that fails
 * ends the process.
 */
export function answerParent<Order>(work: (order: Order) => Promise<object>): void {
  const parent = new Socket({ fd: childDescriptor, readable: true, writable: true });
  const answer = async ({ id, ...order }: FrameMessage): Promise<void> => {
    const answered = await work(order as Order);
    writeFrame(parent, { ...answered, id, memory: process.memoryUsage.rss() });
  };
  const reader = new FrameReader();
  parent.on('data', (piece) => {
    for (const message of reader.read(piece)) void answer(message);
  });
  // The parent was killed and could not shut this process down. An orderly exit would wait for native threads: 13.6 s were seen
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  parent.on('error', end).on('close', end);
  // Terminals and supervisors may signal the whole group; the parent still needs answers while it drains, and ends us
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  writeFrame(parent, { ready: true });
}
