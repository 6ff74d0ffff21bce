import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { projectPath } from '#config';
import { type Log, logStderr } from '#observability';
import { childDescriptor, writeFrame } from './child-frames.js';
import { reservedCodeBytes, statusFiles } from './data-size.js';
import { cpuExceededSignal } from './run-tasks.js';

/** Compiled program of a child process, see `runTasks`. */
export interface ChildProgram {
  readonly path: string;
  /**
   * Limit of the process's data in bytes, without the memory that V8 reserves for compiled code.
   */
  readonly memoryBytes: number;
  /**
   * Limit of the processor time of the whole process in seconds, for a program of one task.
   * Default: none.
   */
  readonly cpuSeconds?: number;
  /**
   * Folders of the project that the child may read, such as `dist/libs/images/`, in addition to its
   * program and packages. Tasks contain the bytes of their file, so no path of a blob is needed.
   * Other libraries are excluded, so that no import of a child loads them: that takes 200 ms of
   * processor time for each child.
   */
  readonly readable: readonly string[];
  /**
   * Environment of the child, in addition to `MALLOC_ARENA_MAX`. Only the fonts are inherited from
   * the environment of this process, because it contains database passwords.
   */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * How a child ended: it `aborted`, which native code does when an allocation fails, a task was
 * `cpu-exceeded` (see `runTasks`), or it `died` for any other reason.
 */
export type ChildEnd = (typeof childEnds)[number];
export const childEnds = ['aborted', 'cpu-exceeded', 'died'] as const;

/** Running child process, of this process or in the sandbox. */
export interface Child {
  /** Sends a message. Has no effect when the child has ended. */
  send(message: object): void;
  /** Calls `listener` with each chunk of the child's output. */
  receive(listener: (chunk: Buffer) => void): void;
  /** Resolves when the child has ended and all its output has been read. Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Process id; undefined in the sandbox. */
  readonly id: number | undefined;
  kill(): void;
}

/** Child process that receives its tasks over a connection to another process. */
export type ConnectedChild = Pick<Child, 'ended' | 'id' | 'kill'>;

/** Limit of V8's heap in a child, which contains objects and strings, but no pixels. */
export const heapMegabytes = 96;
// When an allocation fails, GLib and C++ abort, and V8 executes a trap instruction
const abortSignals: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL']);
const endOf = (signal: NodeJS.Signals | null): ChildEnd =>
  abortSignals.has(signal) ? 'aborted' : signal === cpuExceededSignal ? 'cpu-exceeded' : 'died';
/**
 * Returns options of Node's permission model: scripts of a child may read their own code, write no
 * files and start no processes. Native code is not bound by the permission model. The sandbox is
 * the protection against a compromised decoder.
 *
 * @param known options of this version of Node.js
 */
export function permissionOptions(known: { has(option: string): boolean }): string[] {
  const permission = known.has('--permission') ? '--permission' : '--experimental-permission';
  // Since Node.js 25 a socket needs it, also that of an open descriptor such as `childDescriptor`
  const network = known.has('--allow-net') ? ['--allow-net'] : [];
  return [permission, '--allow-addons', '--no-warnings', ...network];
}

/** Folders that every child may read. */
const commonFolders = ['dist/libs/children/', 'node_modules/', 'package.json'];

/**
 * Returns the command that sets the limits and then executes the program: `prlimit` of
 * util-linux. Without `prlimit` (outside Linux) time and pixels are the only limits.
 */
function processLimits({ memoryBytes, cpuSeconds }: ChildProgram): string[] {
  const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path));
  if (prlimit === undefined) return [];
  const cpu = cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}:${cpuSeconds + 1}`];
  return [prlimit, `--data=${memoryBytes + reservedCodeBytes()}`, '--core=0', ...cpu];
}

/**
 * Returns the environment of a child.
 *
 * @param own that of its program
 * @param parent that of this process
 */
export function childEnvironment(own: ChildProgram['env'], parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { FONTCONFIG_FILE } = parent;
  return { MALLOC_ARENA_MAX: '2', ...(FONTCONFIG_FILE !== undefined && { FONTCONFIG_FILE }), ...own };
}

interface Started {
  readonly child: ChildProcess;
  readonly exited: Promise<ChildEnd>;
}

function start(program: ChildProgram, connection: Socket | 'pipe', log: Pick<Log, 'warn'> | undefined): Started {
  const { path, readable, env } = program;
  const [command, ...parameters] = [
    ...processLimits(program),
    ...[process.execPath, `--max-old-space-size=${heapMegabytes}`],
    ...permissionOptions(process.allowedNodeEnvironmentFlags),
    ...[path, ...statusFiles, ...[...commonFolders, ...readable].map((it) => projectPath(it))].map(
      (it) => `--allow-fs-read=${it}`,
    ),
    path,
  ];
  const child = spawn(command, parameters, {
    // eslint-disable-next-line no-restricted-properties -- fontconfig reads only the environment
    env: childEnvironment(env, process.env),
    stdio: ['ignore', 'ignore', log ? 'pipe' : 'ignore', connection],
  });
  if (log) logStderr(child, path, log);
  const exited = new Promise<ChildEnd>((resolve) => {
    child.once('error', () => resolve('died'));
    child.once('exit', (_code, signal) => resolve(endOf(signal)));
  });
  child.unref();
  return { child, exited };
}

/**
 * Starts a child of this process. The child does not prevent the exit of this process.
 *
 * @param log logs the standard error of the child; without it that output is dropped
 */
export function startChild(program: ChildProgram, log?: Pick<Log, 'warn'>): Child {
  const { child, exited } = start(program, 'pipe', log);
  const stream = child.stdio[childDescriptor] as Socket;
  // Writing to a child that was killed fails. `ended` reports that end
  stream.on('error', () => undefined).unref();
  const streamClosed = new Promise((resolve) => stream.once('close', resolve));
  return {
    send: (message) => writeFrame(stream, message),
    receive: (listener) => stream.on('data', listener),
    ended: exited.then((end) => streamClosed.then(() => end)),
    id: child.pid,
    kill: () => child.kill('SIGKILL'),
  };
}

/**
 * Starts a child process that receives its tasks from a connection. Neither tasks nor replies pass
 * through this process.
 *
 * @param connection unread socket, which is closed in this process
 * @param log logs the standard error of the child
 */
export function startConnectedChild(program: ChildProgram, connection: Socket, log: Pick<Log, 'warn'>): ConnectedChild {
  const { child, exited } = start(program, connection, log);
  connection.destroy();
  return { ended: exited, id: child.pid, kill: () => child.kill('SIGKILL') };
}
