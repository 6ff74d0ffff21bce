import { rm } from 'node:fs/promises';
import { killGroup } from '../../tools/dev-stack/apps/app-process.js';
import { isAlive, startedAt } from '../../tools/dev-stack/system/run.js';

// Cleans up when the process that started the fleet exits, even by SIGKILL: kills the remaining
// processes, including suspended and orphaned ones, and deletes the folder.

/** Messages of the starting process: the folder of the fleet, then each started process. */
export type CleanupMessage = { readonly folder: string } | { readonly pid: number };

const folders: string[] = [];
/** Start times by process id. They tell a recorded process from a later one with the same id. */
const startTimes = new Map<number, Promise<string | undefined>>();

async function killIfSame([pid, since]: [number, Promise<string | undefined>]): Promise<void> {
  if (isAlive(pid) && (await startedAt(pid)) === (await since)) killGroup(pid);
}

async function end(): Promise<void> {
  await Promise.all([...startTimes].map(killIfSame));
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  process.exit();
}

process.on('message', (message: CleanupMessage) => {
  if ('folder' in message) return void folders.push(message.folder);
  for (const pid of startTimes.keys()) if (!isAlive(pid)) startTimes.delete(pid);
  startTimes.set(message.pid, startedAt(message.pid));
});
process.once('disconnect', () => void end());
// Ctrl-C is handled by the starting process
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.send?.('listening');
