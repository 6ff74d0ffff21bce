import { fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';
import type { KeeperMessage } from './keeper.js';

/** Who cleans up when nobody else can. */
export interface Keeper {
  /** Remembers a process, which is the first of its group. */
  readonly note: (pid: number) => void;
  /** Ends what is left, removes the folder, and resolves then. */
  readonly close: () => Promise<void>;
}

/** Starts the process that ends all noted processes and removes the folder as soon as this process has gone. */
export async function keep(folder: string): Promise<Keeper> {
  const child = fork(projectPath('dist/e2e/fleet/keeper.js'), { detached: true, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const tell = (message: KeeperMessage) => child.connected && child.send(message);
  // What is told before it listens would be lost if this process ended now
  await once(child, 'message');
  tell({ folder });
  return {
    note: (pid) => tell({ pid }),
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
