import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';
import { Gate, type GateOptions, type Turn } from './gate.js';

export interface BoundedChildOptions {
  /** The compiled program, see `answerParent`. */
  readonly path: string;
  /** What one order may take, in milliseconds, start of the process included. */
  readonly timeoutMs: number;
  /** What the data of the process may take, in bytes, beside what V8 sets aside for compiled code. */
  readonly memoryBytes: number;
  /** The whole environment of the child: it gets nothing of this process's, which holds passwords of databases. */
  readonly env?: Readonly<Record<string, string>>;
  /** Who may wait for the child; one order runs at a time. */
  readonly gate: Omit<GateOptions, 'places'>;
}

/**
 * The child ended during an order: it took too long (`late`), or the process `died`, of the order or because somebody
 * else killed it.
 */
export class ChildLost extends Error {
  override readonly name = 'ChildLost';

  constructor(readonly how: 'late' | 'died') {
    super(how === 'late' ? 'the child took too long' : 'the child died');
  }
}

/** What a child says: once that it listens, then an answer to each order and the bytes of memory that it holds. */
export type FromChild =
  { readonly ready: true } | { readonly id: number; readonly answer: unknown; readonly memory: number };

// Native heaps only ever grow in pieces: a fresh process now and then keeps the memory limit meaningful
const ordersPerChild = 100;
const heapMegabytes = 96;

interface Job {
  readonly id: number;
  readonly settle: (outcome: Outcome) => void;
}
type Outcome = { readonly answer: unknown; readonly memory: number } | Error;

/**
 * What V8 has set aside for compiled code, in bytes, in this process as in its children. With Node 20 next to nothing; with
 * 24 and 26 it counts as data, 509 MB before the first line runs.
 */
export function setAsideForCode(): number {
  const ranges = readFileSync('/proc/self/maps', 'utf8').matchAll(/^([\da-f]+)-([\da-f]+) rwxp/gm);
  return [...ranges].reduce((sum, [, from, to]) => sum + Number.parseInt(to!, 16) - Number.parseInt(from!, 16), 0);
}

/** A compiled program of this project, `dist/apps/material-rendering/src/...`. */
export const childPath = (name: string): string => projectPath('dist/apps/material-rendering/src', name);

/**
 * Native work on what a client sent, in a warm child process, one order at a time. An order that takes too long, needs
 * too much memory or crashes costs that child and nothing else; the next one starts in a new child.
 */
export class BoundedChild<Order extends object, Answer> {
  private child: ChildProcess | undefined;
  private current: Job | undefined;
  private orders = 0;
  private closed = false;
  private readonly gate: Gate;

  constructor(private readonly options: BoundedChildOptions) {
    this.gate = new Gate({ ...options.gate, places: 1 });
  }

  /** Starts the child before the first order comes. */
  warm(): void {
    if (!this.closed) this.child ??= this.fork();
  }

  /**
   * @param turn how the order waits; urgently when it is not given
   * @throws DomainError `service.overloaded` when too many orders wait
   * @throws ChildLost when the child did not outlive the order
   * @throws Error when the child cannot be started or is closed: not the order's fault
   */
  ask(order: Order, turn?: Turn): Promise<Answer> {
    return this.gate.run(() => this.askNow(order), turn);
  }

  close(): void {
    this.closed = true;
    this.discard();
    this.current?.settle(new Error('the child was closed'));
  }

  /** The child's process id, while there is one: for tests and logs. */
  get id(): number | undefined {
    return this.child?.pid;
  }

  private async askNow(order: Order): Promise<Answer> {
    if (this.closed) throw new Error('the child is closed');
    this.warm();
    this.orders += 1;
    const id = this.orders;
    const outcome = await new Promise<Outcome>((resolve) => {
      const late = setTimeout(() => {
        this.discard();
        resolve(new ChildLost('late'));
      }, this.options.timeoutMs);
      const settle = (result: Outcome): void => {
        clearTimeout(late);
        resolve(result);
      };
      this.current = { id, settle };
      // What cannot be sent is not the order's fault, nor that of this process: the child's end tells it
      this.child?.send({ ...order, id }, () => undefined);
    });
    this.current = undefined;
    // Caches of native code fill at the pace of the orders: the half that is free is for one of them
    const full = !(outcome instanceof Error) && outcome.memory > this.options.memoryBytes / 2;
    if (full || id % ordersPerChild === 0) this.discard();
    this.warm();
    if (outcome instanceof Error) throw outcome;
    return outcome.answer as Answer;
  }

  private fork(): ChildProcess {
    const { path, env } = this.options;
    const { command, prefix } = this.memoryLimit();
    const child = fork(path, [], {
      execPath: command,
      execArgv: [...prefix, `--max-old-space-size=${heapMegabytes}`],
      serialization: 'advanced',
      env: { MALLOC_ARENA_MAX: '2', ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let ready = false;
    child.on('message', (message: FromChild) => {
      if ('ready' in message) ready = true;
      else if (this.current?.id === message.id) this.current.settle(message);
    });
    child.on('error', (error) => this.lost(child, error));
    child.on('exit', () => this.lost(child, ready ? new ChildLost('died') : notStarted(path)));
    child.unref();
    child.channel?.unref();
    return child;
  }

  /** util-linux sets the limit and becomes the program. Without it (not Linux) time and pixels are the only bounds. */
  private memoryLimit(): { command: string; prefix: string[] } {
    const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path));
    if (prlimit === undefined) return { command: process.execPath, prefix: [] };
    const data = this.options.memoryBytes + setAsideForCode();
    return { command: prlimit, prefix: [`--data=${data}`, '--core=0', process.execPath] };
  }

  private lost(child: ChildProcess, outcome: Error): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.current?.settle(outcome);
  }

  private discard(): void {
    const child = this.child;
    this.child = undefined;
    child?.kill('SIGKILL');
  }
}

const notStarted = (path: string): Error => new Error(`the child did not start: ${path} (built with "npm run build"?)`);
