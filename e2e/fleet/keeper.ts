import { rm } from 'node:fs/promises';
import { killGroup } from '../../tools/dev-stack/apps/app-process.js';
import { isAlive, startedAt } from '../../tools/dev-stack/system/run.js';

// Outlives whoever started the fleet, even one that was killed: then it ends what is left and removes the folder. Also
// what is frozen, and what is not a child of anybody any more.

/** What the starting process tells: its folder first, then each process it starts. */
export type KeeperMessage = { readonly folder: string } | { readonly pid: number };

const folders: string[] = [];
/** When each started, to tell it from a later process with the same id. */
const started = new Map<number, Promise<string | undefined>>();

async function endIfSame([pid, since]: [number, Promise<string | undefined>]): Promise<void> {
  if (isAlive(pid) && (await startedAt(pid)) === (await since)) killGroup(pid);
}

async function end(): Promise<void> {
  await Promise.all([...started].map(endIfSame));
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  process.exit();
}

process.on('message', (message: KeeperMessage) => {
  if ('folder' in message) return void folders.push(message.folder);
  for (const pid of started.keys()) if (!isAlive(pid)) started.delete(pid);
  started.set(message.pid, startedAt(message.pid));
});
process.once('disconnect', () => void end());
// Ctrl-C is for the one that started it
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.send?.('listening');
