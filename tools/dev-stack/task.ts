import { fork, type ChildProcess } from 'node:child_process';
import type { ServiceName } from '#contracts';
import { projectPath } from '#config';
import type { Output } from './console.js';
import { StartFailure } from './failure.js';
import type { Seeded, SeedOptions } from './seed.js';

/** The steps of a start that run in a process of their own. */
export interface Tasks {
  migrate(input: { databaseUrl: string; rolesSecret: string }): Promise<Record<ServiceName, string>>;
  seed(input: Omit<SeedOptions, 'say'>): Promise<Seeded>;
}

export interface TaskMessage<Name extends keyof Tasks> {
  readonly name: Name;
  readonly input: Parameters<Tasks[Name]>[0];
}

type Answer<Name extends keyof Tasks> =
  { readonly result: Awaited<ReturnType<Tasks[Name]>> } | { readonly failure: string };

export interface RunningTask<Name extends keyof Tasks> {
  readonly result: Promise<Awaited<ReturnType<Tasks[Name]>>>;
  /** Gives the task up. */
  cancel(): void;
}

/** Starts a task. Its result fails with a StartFailure that says why. */
export function startTask<Name extends keyof Tasks>(
  name: Name,
  input: TaskMessage<Name>['input'],
  output: Output,
): RunningTask<Name> {
  const child: ChildProcess = fork(projectPath('dist/tools/dev-stack/tasks.js'), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  output.show(child.stdout!);
  output.show(child.stderr!);
  const result = new Promise<Awaited<ReturnType<Tasks[Name]>>>((resolve, reject) => {
    child.once('message', (answer: Answer<Name>) => {
      if ('result' in answer) resolve(answer.result);
      else reject(new StartFailure(`${name} failed: ${answer.failure}`));
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      reject(new StartFailure(`${name} ended with code ${code ?? 'none'} and said nothing more.`));
    });
  });
  child.send({ name, input } satisfies TaskMessage<Name>);
  return { result, cancel: () => child.kill('SIGKILL') };
}
