import { connect, Socket } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { FrameReader, writeFrame } from '#children/child-frames.js';
import { type Child, type ChildEnd, childEnds } from '#children/child-process.js';

/** Program that the sandbox runs. Each has its own socket. */
export type SandboxedProgram = 'decode' | 'render-text';

export const socketOf = (folder: string, program: SandboxedProgram): string => join(folder, `${program}.sock`);

/**
 * Messages of the sandbox about a child: the name of the socket that receives its tasks, and how
 * the child ended.
 */
const statusSchema = z.union([
  z.strictObject({ socket: z.string().regex(/^[\w-]+\.sock$/) }),
  z.strictObject({ ended: z.enum(childEnds) }),
]);

export const writeStatus = (stream: Socket, status: z.infer<typeof statusSchema>): void => writeFrame(stream, status);

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

/**
 * Starts a child process in the sandbox. The control connection lives as long as the child and ends
 * with a message that says how the child ended. Tasks and replies use a second connection, which
 * belongs to the child. If the sandbox is down, the returned child ends before it is ready.
 *
 * @param folder with the sockets of the sandbox
 */
export function sandboxedChild(folder: string, program: SandboxedProgram): Child {
  const control = connect(socketOf(folder, program));
  const stream = new Socket();
  const connected = new Promise<void>((resolve) => stream.once('connect', resolve));
  const reader = new FrameReader();
  let end: ChildEnd | undefined;
  control.on('data', (chunk) => {
    try {
      for (const status of [...reader.read(chunk)].map((it) => statusSchema.parse(it)))
        if ('socket' in status) stream.connect(join(folder, status.socket));
        else end = status.ended;
    } catch {
      control.destroy();
    }
  });
  // Without an `ended` status the sandbox itself has ended. With it, output of the child may still
  // be unread
  control.once('close', () => end ?? stream.destroy());
  // If nothing was read, the child was never reached and the sandbox still waits. Otherwise the
  // `ended` status may be in flight
  stream.once('close', () => stream.bytesRead > 0 || control.destroy());
  for (const socket of [control, stream]) socket.on('error', () => undefined).unref();
  return {
    send: (message) => void connected.then(() => writeFrame(stream, message)),
    receive: (listener) => stream.on('data', listener),
    ended: Promise.all([closed(control), closed(stream)]).then(() => end ?? 'died'),
    id: undefined,
    kill: () => {
      control.destroy();
      stream.destroy();
    },
  };
}
