import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { appOf } from '../../dev-stack/apps/apps.js';
import { processTreeOf } from '../process-usage.js';

/**
 * Pins the gateway to the last core and all other processes to the rest, as the static CPU policy
 * of Kubernetes does for a container with a whole core. Needs Linux and two cores.
 *
 * @param stack process ids of the stack
 */
export async function pinGateway(stack: readonly number[]): Promise<void> {
  const last = availableParallelism() - 1;
  if (last < 1) throw new Error('--apart needs two cores');
  for (const pid of new Set([...stack, ...(await processTreeOf(process.pid))])) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    if (command === undefined) continue;
    const processors = appOf(command) === 'gateway' ? `${last}` : `0-${last - 1}`;
    // For all threads; new threads inherit the affinity
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)]);
  }
}
