import { fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';
import type { CleanupMessage } from './cleanup-process.js';

/** Handle of the cleanup process of a fleet. */
export interface Cleanup {
  /** Records a process, which must be the leader of its group. */
  readonly record: (pid: number) => void;
  /** Kills the recorded processes that still run, and deletes the folder. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the cleanup process, which kills all recorded processes and deletes the folder when this
 * process exits.
 */
export async function startCleanup(folder: string): Promise<Cleanup> {
  const child = fork(projectPath('dist/e2e/fleet/cleanup-process.js'), { detached: true, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const send = (message: CleanupMessage) => child.connected && child.send(message);
  // The child listens now. Messages sent before would be lost if this process exited
  await once(child, 'message');
  send({ folder });
  return {
    record: (pid) => send({ pid }),
    close: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
