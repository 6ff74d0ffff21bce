import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type ReplicaOptions } from './replica.js';

export interface ForkedReplica {
  readonly child: ChildProcess;
  /** Sends the signal and resolves with the exit code of the process. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a replica as a separate process and resolves when it takes requests.
 *
 * @param program path of the bundle of `replica-process`
 */
export async function forkReplica(program: string, options: ReplicaOptions): Promise<ForkedReplica> {
  const child = fork(program, [JSON.stringify(options)], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const first = (await Promise.race([once(child, 'message'), exited])) as unknown[];
  if (first[0] !== 'ready') throw new Error(`the replica exited with ${String(first[0])} before it was ready`);
  return {
    child,
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}
