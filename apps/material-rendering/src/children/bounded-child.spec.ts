import { z } from 'zod';
import { encodeFrame, type FrameMessage, FrameReader } from '#children/child-frames.js';
import type { Child, ChildEnd } from '#children/child-process.js';
import { BoundedChild } from './bounded-child.js';

const memoryBytes = 1_000;

/** Child that replies to each task at once. @param memory number of bytes that it claims to use */
function replyingChild(memory: number): Child {
  let listener: (chunk: Buffer) => void = () => undefined;
  let end: (reason: ChildEnd) => void = () => undefined;
  const reply = (message: object): void => listener(Buffer.concat(encodeFrame(message)));
  return {
    receive: (received) => {
      listener = received;
      queueMicrotask(() => reply({ ready: true }));
    },
    send: (task) => {
      const [{ id }] = [...new FrameReader().read(Buffer.concat(encodeFrame(task)))] as [FrameMessage];
      queueMicrotask(() => reply({ id, memory }));
    },
    ended: new Promise((resolve) => (end = resolve)),
    id: undefined,
    kill: () => end('died'),
  };
}

/** Runs tasks one after the other. @returns the number of started children */
async function startsFor(tasks: number, memory: number): Promise<number> {
  let starts = 0;
  const start = (): Child => {
    starts += 1;
    return replyingChild(memory);
  };
  const queue = { maxWaiting: 1, timeoutMs: 10_000, overloaded: () => new Error('overloaded') };
  const child = new BoundedChild({ start, timeoutMs: 10_000, memoryBytes, reply: z.object({}), queue });
  for (let task = 0; task < tasks; task += 1) await child.run(() => ({}));
  child.close();
  return starts;
}

describe('BoundedChild', () => {
  it('runs 2,499 tasks in one child, because a start takes as long as 100 images', async () => {
    expect(await startsFor(2_499, memoryBytes / 2)).toBe(1);
  });

  it('replaces a child after 2,500 tasks', async () => {
    expect(await startsFor(2_500, 0)).toBe(2);
  });

  it('replaces a child that uses over half of its memory limit', async () => {
    expect(await startsFor(3, memoryBytes / 2 + 1)).toBe(4);
  });
});
