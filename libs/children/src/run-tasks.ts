import { Socket } from 'node:net';
import { childDescriptor, type FrameMessage, FrameReader, writeFrame } from './child-frames.js';
import { dataMeter } from './data-size.js';

/** Signal that ends a child whose task exceeds its processor time, as the kernel's limit does. */
export const cpuExceededSignal = 'SIGXCPU';
const cpuCheckMs = 100;

/**
 * Runs the tasks of a `BoundedChild` in this child process and sends a reply to each. The process
 * has no secrets and no connection except the one to the app, and its memory is limited. A task
 * whose native threads use more processor time than its `cpuMs` ends the process with
 * `cpuExceededSignal`, because nothing else interrupts native code. For the same reason the app
 * ends it when a task exceeds the timeout. A task that fails ends the process.
 */
export function runTasks<Task>(work: (task: Task) => Promise<object>): void {
  const measureData = dataMeter();
  const parent = new Socket({ fd: childDescriptor, readable: true, writable: true });
  const run = async ({ id, cpuMs, ...task }: FrameMessage): Promise<void> => {
    const watch = cpuMs === undefined ? undefined : watchCpu(cpuMs as number);
    const result = await work(task as Task);
    clearInterval(watch);
    writeFrame(parent, { ...result, id, memory: measureData() });
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

/** Ends this process when it has used `cpuMs` of processor time, in all threads, from now on. */
function watchCpu(cpuMs: number): NodeJS.Timeout {
  const start = process.cpuUsage();
  return setInterval(() => {
    const { user, system } = process.cpuUsage(start);
    if (user + system > cpuMs * 1_000) process.kill(process.pid, cpuExceededSignal);
  }, cpuCheckMs);
}
