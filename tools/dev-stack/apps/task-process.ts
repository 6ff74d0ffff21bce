import { fork, type ChildProcess } from 'node:child_process';
import type { ServiceName } from '#contracts';
import { programFile } from './apps.js';
import type { Output } from '../terminal/console.js';
import { StartFailure } from '../failure.js';
import type { DemoProductOptions, Seeded, SeedOptions } from '#demo-shop';

/** Startup steps that run in a separate process. */
export interface Tasks {
  migrate(input: { databaseUrl: string; rolesSecret: string }): Promise<Record<ServiceName, string>>;
  seed(input: Omit<SeedOptions, 'log'>): Promise<Seeded>;
  products(input: Omit<DemoProductOptions, 'log'>): Promise<void>;
}

export interface TaskMessage<Name extends keyof Tasks> {
  readonly name: Name;
  readonly input: Parameters<Tasks[Name]>[0];
}

type Result<Name extends keyof Tasks> = Awaited<ReturnType<Tasks[Name]>>;
type Reply<Name extends keyof Tasks> = { readonly result: Result<Name> } | { readonly failure: string };

/**
 * Process that runs startup tasks. Loading its modules takes a second, so it is started early,
 * while servers start, and ended after the last task.
 */
export class TaskProcess {
  private readonly child: ChildProcess = fork(programFile('tasks'), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  /** Rejects if the process exits unexpectedly. */
  private readonly failed: Promise<never>;

  constructor(output: Output) {
    output.show(this.child.stdout!);
    output.show(this.child.stderr!);
    this.failed = new Promise((_resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('exit', (code) => {
        reject(new StartFailure(`The process of migrate and seed ended with code ${code ?? 'none'}.`));
      });
    });
    // Callers of run() handle the rejection
    this.failed.catch(() => undefined);
  }

  /** Runs a task, one at a time. @throws StartFailure with the error of the task */
  run<Name extends keyof Tasks>(name: Name, input: TaskMessage<Name>['input']): Promise<Result<Name>> {
    const result = new Promise<Result<Name>>((resolve, reject) => {
      this.child.once('message', (reply: Reply<Name>) => {
        if ('failure' in reply) reject(new StartFailure(`${name} failed: ${reply.failure}`));
        else resolve(reply.result);
      });
    });
    if (this.child.connected) this.child.send({ name, input } satisfies TaskMessage<Name>);
    return Promise.race([result, this.failed]);
  }

  /** Kills the process and aborts its task. */
  end(): void {
    this.child.kill('SIGKILL');
  }
}
