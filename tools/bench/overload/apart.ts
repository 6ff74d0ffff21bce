import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { appOf } from '../../dev-stack/apps/apps.js';
import { familyOf } from '../process-usage.js';

/**
 * Gives the gateway the last processor alone, and all other processes of the stack and of this one the rest, as the static
 * CPU policy of Kubernetes does for a container of a whole processor. Needs Linux and two processors.
 *
 * @param stack ids of its processes
 */
export async function setGatewayApart(stack: readonly number[]): Promise<void> {
  const last = availableParallelism() - 1;
  if (last < 1) throw new Error('--apart needs two processors');
  for (const pid of new Set([...stack, ...(await familyOf(process.pid))])) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    if (command === undefined) continue;
    const processors = appOf(command) === 'gateway' ? `${last}` : `0-${last - 1}`;
    // Of all threads; what they start later inherits it
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)]);
  }
}
