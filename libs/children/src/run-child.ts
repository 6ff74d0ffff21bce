import { z } from 'zod';
import { type FrameMessage, FrameReader } from './child-frames.js';
import { type ChildEnd, type ChildProgram, startChild } from './child-process.js';

/** Error of a child that ended without a reply, or with an invalid one. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';

  constructor(readonly reason: ChildEnd | 'timed-out' | 'not-started') {
    super(`the child process ${reason}`);
  }
}

const readySchema = z.object({ ready: z.literal(true) });

/**
 * Runs one task in a new child process, and ends the process.
 *
 * @param timeoutMs includes the start of the process
 * @returns the reply, to be validated: the child may be compromised
 * @throws ChildFailed
 */
export async function runChild(program: ChildProgram, task: object, timeoutMs: number): Promise<FrameMessage> {
  const child = startChild(program);
  try {
    return await new Promise<FrameMessage>((resolve, reject) => {
      let isReady = false;
      const fail = (reason: ChildFailed['reason']): void => reject(new ChildFailed(isReady ? reason : 'not-started'));
      const timeout = setTimeout(() => fail('timed-out'), timeoutMs);
      const reader = new FrameReader();
      child.receive((piece) => {
        try {
          for (const message of reader.read(piece)) {
            if (isReady) resolve(message);
            else isReady = readySchema.parse(message).ready;
          }
        } catch {
          fail('died');
        }
      });
      void child.ended.then((end) => {
        clearTimeout(timeout);
        fail(end);
      });
      child.send({ ...task, id: 1 });
    });
  } finally {
    child.kill();
  }
}
