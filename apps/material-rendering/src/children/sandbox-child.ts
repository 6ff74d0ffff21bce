import { connect, Socket } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { FrameReader, writeFrame } from './child-frames.js';
import type { Child, ChildEnd } from './child-process.js';

/** What the sandbox runs, each at a socket of its own. */
export type SandboxedProgram = 'decode' | 'write';

export const socketOf = (folder: string, program: SandboxedProgram): string => join(folder, `${program}.sock`);

/** Messages of the sandbox about a child: the name of the socket at which it takes orders, and how it has ended. */
const news = z.union([
  z.strictObject({ socket: z.string().regex(/^[\w-]+\.sock$/) }),
  z.strictObject({ ended: z.enum(['died', 'aborted']) }),
]);

export const writeNews = (stream: Socket, message: z.infer<typeof news>): void => writeFrame(stream, message);

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

/**
 * Has the sandbox run a child process. One connection to the sandbox lives as long as the child, and ends with a message of
 * how the child ended. Orders and replies have another one, of the child alone. A sandbox that does not run counts as a
 * child that did not start.
 *
 * @param folder where the sockets of the sandbox are
 */
export function sandboxedChild(folder: string, program: SandboxedProgram): Child {
  const control = connect(socketOf(folder, program));
  const stream = new Socket();
  const connected = new Promise<void>((resolve) => stream.once('connect', resolve));
  const reader = new FrameReader();
  let end: ChildEnd | undefined;
  control.on('data', (piece) => {
    try {
      for (const message of [...reader.read(piece)].map((it) => news.parse(it)))
        if ('socket' in message) stream.connect(join(folder, message.socket));
        else end = message.ended;
    } catch {
      control.destroy();
    }
  });
  // Without a message the sandbox itself has ended; otherwise there may be output of the child to read
  control.once('close', () => end ?? stream.destroy());
  // The child was never reached, and the sandbox waits for it. Later, the message of its end may be on its way
  stream.once('close', () => stream.bytesRead > 0 || control.destroy());
  for (const socket of [control, stream]) socket.on('error', () => undefined).unref();
  return {
    send: (message) => void connected.then(() => writeFrame(stream, message)),
    receive: (take) => stream.on('data', take),
    ended: Promise.all([closed(control), closed(stream)]).then(() => end ?? 'died'),
    id: undefined,
    kill: () => {
      control.destroy();
      stream.destroy();
    },
  };
}
