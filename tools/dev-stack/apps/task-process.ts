import { fork, type ChildProcess } from 'node:child_process';
import type { ServiceName } from '#contracts';
import { programFile } from './apps.js';
import type { Output } from '../terminal/console.js';
import { StartFailure } from '../failure.js';
import type { DemoProductOptions, Seeded, SeedOptions } from '#demo-shop';

/** The steps of a start that run in a process of their own. */
export interface Tasks {
  migrate(input: { databaseUrl: string; rolesSecret: string }): Promise<Record<ServiceName, string>>;
  seed(input: Omit<SeedOptions, 'say'>): Promise<Seeded>;
  products(input: Omit<DemoProductOptions, 'say'>): Promise<void>;
}

export interface TaskMessage<Name extends keyof Tasks> {
  readonly name: Name;
  readonly input: Parameters<Tasks[Name]>[0];
}

type Result<Name extends keyof Tasks> = Awaited<ReturnType<Tasks[Name]>>;
type Answer<Name extends keyof Tasks> = { readonly result: Result<Name> } | { readonly failure: string };

/**
 * The process of the tasks. It takes a second to load what they need, the same for all: start it early, while servers
 * start, and end it behind the last task.
 */
export class TaskProcess {
  private readonly child: ChildProcess = fork(programFile('tasks'), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  /** Fails when the process cannot do what it is there for. */
  private readonly lost: Promise<never>;

  constructor(output: Output) {
    output.show(this.child.stdout!);
    output.show(this.child.stderr!);
    this.lost = new Promise((_resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('exit', (code) => {
        reject(new StartFailure(`The process of migrate and seed ended with code ${code ?? 'none'}.`));
      });
    });
    // It is heard by whoever waits for a task
    this.lost.catch(() => undefined);
  }

  /** One task at a time. @throws StartFailure that says why the task failed */
  run<Name extends keyof Tasks>(name: Name, input: TaskMessage<Name>['input']): Promise<Result<Name>> {
    const answered = new Promise<Result<Name>>((resolve, reject) => {
      this.child.once('message', (answer: Answer<Name>) => {
        if ('failure' in answer) reject(new StartFailure(`${name} failed: ${answer.failure}`));
        else resolve(answer.result);
      });
    });
    if (this.child.connected) this.child.send({ name, input } satisfies TaskMessage<Name>);
    return Promise.race([answered, this.lost]);
  }

  /** Ends the process, and gives up what it is doing. */
  end(): void {
    this.child.kill('SIGKILL');
  }
}
