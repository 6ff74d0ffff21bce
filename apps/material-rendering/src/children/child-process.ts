import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { projectPath } from '#config';
import { type Log, logStderr } from '#observability';
import { childDescriptor, writeFrame } from './child-frames.js';

/** A compiled program of a child process, see `answerParent`. */
export interface ChildProgram {
  readonly path: string;
  /** What the data of the process may take, in bytes, beside what V8 sets aside for compiled code. */
  readonly memoryBytes: number;
  /** The whole environment of the child: it gets nothing of this process's environment, which contains passwords of databases. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a child ended: it `aborted` itself, which native code does when it gets no memory, or it `died` of something else. */
export type ChildEnd = 'aborted' | 'died';

/** A running child process, here or in the sandbox. */
export interface Child {
  /** Sends a message. Without effect when the child has ended. */
  send(message: object): void;
  /** Calls back with each piece of its output. */
  receive(take: (piece: Buffer) => void): void;
  /** Settles once the child has ended and all its output has been read. Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** The process id; undefined in the sandbox. */
  readonly id: number | undefined;
  kill(): void;
}

/** A child process whose orders come by another connection than this process's. */
export type ConnectedChild = Pick<Child, 'ended' | 'id' | 'kill'>;

const heapMegabytes = 96;
// GLib and C++ abort when an allocation fails; V8 traps
const abortSignals: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL']);
/** A compiled program of this app, `dist/apps/material-rendering/src/...`. */
export const childPath = (name: string): string => projectPath('dist/apps/material-rendering/src/children', name);

/**
 * The paths that a child may read: its orders bring their bytes. Without `dist/libs`, which takes 200 ms of processor time
 * to load; a child is replaced after 250 orders.
 */
const readable = ['dist/apps/material-rendering/', 'node_modules/', 'package.json'].map((path) => projectPath(path));

/**
 * Node's permission model: the scripts of a child read their own code, write nothing and start nothing. Native code is not
 * bound by it: against an attacker that has taken over a decoder there is the sandbox.
 */
const permissions = [
  process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
  ...['--allow-addons', '--no-warnings'],
  ...readable.map((path) => `--allow-fs-read=${path}`),
];

/**
 * What V8 has set aside for compiled code, in bytes, in this process as in its children. With Node 20 next to nothing; with
 * 24 and 26 it counts as data, 509 MB before the first line runs.
 */
export function setAsideForCode(): number {
  const ranges = readFileSync('/proc/self/maps', 'utf8').matchAll(/^([\da-f]+)-([\da-f]+) rwxp/gm);
  return [...ranges].reduce((sum, [, from, to]) => sum + Number.parseInt(to!, 16) - Number.parseInt(from!, 16), 0);
}

/** util-linux sets the limit and becomes the program. Without it (not Linux) time and pixels are the only bounds. */
function memoryLimit(memoryBytes: number): string[] {
  const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path));
  return prlimit === undefined ? [] : [prlimit, `--data=${memoryBytes + setAsideForCode()}`, '--core=0'];
}

interface Started {
  readonly child: ChildProcess;
  readonly exited: Promise<ChildEnd>;
}

function start(
  { path, memoryBytes, env }: ChildProgram,
  connection: Socket | 'pipe',
  log: Pick<Log, 'warn'> | undefined,
): Started {
  const [command, ...parameters] = [
    ...memoryLimit(memoryBytes),
    ...[process.execPath, `--max-old-space-size=${heapMegabytes}`, ...permissions, `--allow-fs-read=${path}`, path],
  ];
  const child = spawn(command!, parameters, {
    env: { MALLOC_ARENA_MAX: '2', ...env },
    stdio: ['ignore', 'ignore', log ? 'pipe' : 'ignore', connection],
  });
  if (log) logStderr(child, path, log);
  const exited = new Promise<ChildEnd>((resolve) => {
    child.once('error', () => resolve('died'));
    child.once('exit', (_code, signal) => resolve(abortSignals.has(signal) ? 'aborted' : 'died'));
  });
  child.unref();
  return { child, exited };
}

/**
 * Starts a child process beside this one. It does not prevent the exit of this process.
 *
 * @param log gets what the child writes to its standard error; without it that is dropped
 */
export function startChild(program: ChildProgram, log?: Pick<Log, 'warn'>): Child {
  const { child, exited } = start(program, 'pipe', log);
  const stream = child.stdio[childDescriptor] as Socket;
  // A child that is killed does not read all that is written to it; its end is reported by `ended`
  stream.on('error', () => undefined).unref();
  const read = new Promise((resolve) => stream.once('close', resolve));
  return {
    send: (message) => writeFrame(stream, message),
    receive: (take) => stream.on('data', take),
    ended: exited.then((end) => read.then(() => end)),
    id: child.pid,
    kill: () => child.kill('SIGKILL'),
  };
}

/**
 * Starts a child process that takes its orders from a connection, and nothing of it passes through this process.
 *
 * @param connection of which nothing has been read; closed here
 * @param log gets what the child writes to its standard error
 */
export function startConnectedChild(program: ChildProgram, connection: Socket, log: Pick<Log, 'warn'>): ConnectedChild {
  const { child, exited } = start(program, connection, log);
  connection.destroy();
  return { ended: exited, id: child.pid, kill: () => child.kill('SIGKILL') };
}
