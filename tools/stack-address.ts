import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a running stack writes into its DATA_DIR, for the commands that speak to it. */
export interface StackAddress {
  readonly baseUrl: string;
  readonly requestsUrl: string;
  readonly apiKey: string;
  readonly pid: number;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * The stack that was started with this DATA_DIR.
 *
 * @throws Error with one sentence for people when none runs
 */
export function runningStack(): StackAddress {
  const folder = resolve(process.env.DATA_DIR ?? '.data');
  let stack: StackAddress;
  try {
    stack = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as StackAddress;
  } catch {
    throw new Error(`No stack runs with DATA_DIR=${folder}: start one with npm start, or set REDIS_REQUESTS_URL.`);
  }
  if (!isAlive(stack.pid)) throw new Error(`The stack of DATA_DIR=${folder} has ended: start it with npm start.`);
  return stack;
}

/** Where requests go: the environment wins over the running stack. */
export const requestsUrl = (): string => process.env.REDIS_REQUESTS_URL ?? runningStack().requestsUrl;
