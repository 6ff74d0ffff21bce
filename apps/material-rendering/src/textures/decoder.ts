import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { OnApplicationShutdown } from '@nestjs/common';
import { projectPath } from '#config';
import { Gate } from '../gate.js';
import type { FromChild, Measurement, MeasureOrder } from './measurement.js';

export interface DecoderOptions {
  /** What one decode may take, in milliseconds, start of the process included. */
  readonly timeoutMs: number;
  /** What the data of the process may take, in bytes. Default 900 MB: twice the worst picture within the limits. */
  readonly memoryBytes?: number;
  /** The compiled child. Tests give another one. */
  readonly childPath?: string;
}

// Native heaps only ever grow in pieces: a fresh process now and then keeps the memory limit meaningful
const decodesPerChild = 100;
const heapMegabytes = 96;

interface Job {
  readonly id: number;
  readonly settle: (outcome: Measurement | Error) => void;
}

/**
 * Measures pictures in a warm child process, one at a time. A picture that takes too long, needs too much memory or
 * crashes the decoder costs that child and nothing else; the next one starts in a new child.
 */
export class TextureDecoder implements OnApplicationShutdown {
  private child: ChildProcess | undefined;
  private current: Job | undefined;
  private decodes = 0;
  private closed = false;
  private readonly gate = new Gate({ of: 'texture', places: 1, waiting: 8, patienceMs: 4_000 });

  constructor(private readonly options: DecoderOptions) {}

  /** Starts the child before the first picture comes. */
  warm(): void {
    if (!this.closed) this.child ??= this.fork();
  }

  /**
   * @throws DomainError `service.overloaded` when too many pictures wait
   * @throws Error when the child cannot be started: not the picture's fault
   */
  measure(bytes: Buffer): Promise<Measurement> {
    return this.gate.run(() => this.measureNow(bytes));
  }

  onApplicationShutdown(): void {
    this.closed = true;
    this.discard();
  }

  /** The child's process id, while there is one: for tests and logs. */
  get childId(): number | undefined {
    return this.child?.pid;
  }

  private async measureNow(bytes: Buffer): Promise<Measurement> {
    if (this.closed) throw new Error('the decoder is closed');
    this.warm();
    this.decodes += 1;
    const id = this.decodes;
    const outcome = await new Promise<Measurement | Error>((resolve) => {
      const late = setTimeout(() => {
        this.discard();
        resolve({ kind: 'not-decoded', reason: `it took longer than ${this.options.timeoutMs / 1000} s` });
      }, this.options.timeoutMs);
      const settle = (result: Measurement | Error): void => {
        clearTimeout(late);
        resolve(result);
      };
      this.current = { id, settle };
      this.child?.send({ id, bytes } satisfies MeasureOrder, (error) => {
        if (error !== null) settle(error);
      });
    });
    this.current = undefined;
    if (id % decodesPerChild === 0) this.discard();
    this.warm();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  private fork(): ChildProcess {
    const { command, prefix } = this.memoryLimit();
    const path = this.options.childPath ?? projectPath('dist/apps/material-rendering/src/textures/decode.child.js');
    const child = fork(path, [], {
      execPath: command,
      execArgv: [...prefix, `--max-old-space-size=${heapMegabytes}`],
      serialization: 'advanced',
      // Nothing of this process's environment: it holds the addresses and passwords of databases
      env: { MALLOC_ARENA_MAX: '2' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let ready = false;
    child.on('message', (message: FromChild) => {
      if ('ready' in message) ready = true;
      else if (this.current?.id === message.id) this.current.settle(message.measurement);
    });
    child.on('error', (error) => this.lost(child, error));
    child.on('exit', () =>
      this.lost(
        child,
        ready
          ? { kind: 'not-decoded', reason: 'the decoder gave up; it is damaged or needs too much memory' }
          : notStarted(path),
      ),
    );
    child.unref();
    child.channel?.unref();
    return child;
  }

  /** util-linux sets the limit and becomes the program. Without it (not Linux) time and pixels are the only bounds. */
  private memoryLimit(): { command: string; prefix: string[] } {
    const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path));
    if (prlimit === undefined) return { command: process.execPath, prefix: [] };
    const bytes = this.options.memoryBytes ?? 900 * 1024 * 1024;
    return { command: prlimit, prefix: [`--data=${bytes}`, '--core=0', process.execPath] };
  }

  private lost(child: ChildProcess, outcome: Measurement | Error): void {
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

const notStarted = (path: string): Error =>
  new Error(`the decoder did not start: ${path} (built with "npm run build"?)`);
