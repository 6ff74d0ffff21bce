import { fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';
import type { CleanupMessage } from './cleanup-process.js';

/** Cleanup process of a fleet, which outlives the starting process. */
export interface Cleanup {
  /** Records a process, which must be the leader of its group. */
  readonly record: (pid: number) => void;
  /** Kills recorded processes and deletes the folder. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a process that kills all recorded processes and deletes the folder when this process
 * exits.
 */
export async function startCleanup(folder: string): Promise<Cleanup> {
  const child = fork(projectPath('dist/e2e/fleet/cleanup-process.js'), { detached: true, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const send = (message: CleanupMessage) => child.connected && child.send(message);
  // Messages sent before the child listens would be lost if this process exited now
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
