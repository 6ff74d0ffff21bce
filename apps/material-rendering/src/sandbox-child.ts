import { connect } from 'node:net';
import { join } from 'node:path';
import type { Child, ChildEnd } from './child-process.js';

/** What the sandbox runs, each at a socket of its own. */
export type SandboxedProgram = 'decode' | 'write';

export const socketOf = (folder: string, program: SandboxedProgram): string => join(folder, `${program}.sock`);

/** The last byte of a connection is the way in which the child ended. */
const endBytes: Readonly<Record<ChildEnd, number>> = { died: 0, aborted: 1 };

export const encodeEnd = (end: ChildEnd): Uint8Array => Uint8Array.of(endBytes[end]);

/**
 * Has the sandbox run a child process: each connection is one, and its end is the child's. A sandbox that is away counts
 * as a child that did not start.
 *
 * @param folder where the sockets of the sandbox are
 */
export function sandboxedChild(folder: string, program: SandboxedProgram): Child {
  const stream = connect(socketOf(folder, program));
  let last: number | undefined;
  stream.on('error', () => undefined).on('data', (piece) => (last = piece.at(-1)));
  const ended = new Promise<ChildEnd>((resolve) => {
    stream.once('close', () => resolve(last === endBytes.aborted ? 'aborted' : 'died'));
  });
  stream.unref();
  return { stream, ended, id: undefined, kill: () => stream.destroy() };
}
