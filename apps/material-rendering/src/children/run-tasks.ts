import { Socket } from 'node:net';
import { childDescriptor, type FrameMessage, FrameReader, writeFrame } from './child-frames.js';

/**
 * Runs the tasks of a `BoundedChild` in this child process and sends a reply to each. The process
 * has no secrets and no connection except the one to the app, and its memory is limited. The app
 * ends it when a task exceeds the timeout, because nothing else interrupts native code. A task that
 * fails ends the process.
 */
export function runTasks<Task>(work: (task: Task) => Promise<object>): void {
  const parent = new Socket({ fd: childDescriptor, readable: true, writable: true });
  const run = async ({ id, ...task }: FrameMessage): Promise<void> => {
    const result = await work(task as Task);
    writeFrame(parent, { ...result, id, memory: process.memoryUsage.rss() });
  };
  const reader = new FrameReader();
  parent.on('data', (piece) => {
    for (const message of reader.read(piece)) void run(message);
  });
  // The app has ended or closed the connection. A regular exit would wait for native threads: 13.6
  // s were measured
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  parent.on('error', end).on('close', end);
  // Terminals and supervisors may signal the whole process group. The app still needs replies while
  // it drains, and ends this process afterwards
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  writeFrame(parent, { ready: true });
}
