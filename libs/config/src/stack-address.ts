import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { EnvironmentError, readEnvironment } from './environment.js';
import { baseUrl, gatewayUrl, redisRequestsUrl } from './shared-settings.js';

/** What a running stack writes into its DATA_DIR, for the commands that speak to it. */
export interface StackAddress {
  /** As clients reach it: BASE_URL, behind which a proxy may not be up yet. */
  readonly baseUrl: string;
  /** As this machine reaches it. */
  readonly localUrl: string;
  readonly requestsUrl: string;
  readonly jobsUrl: string;
  /** As the owner of all schemas. */
  readonly databaseUrl: string;
  readonly blobStoreUrl: string;
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

export const dataDir = z
  .string()
  .default('.data')
  .meta({ kind: 'path of a folder' })
  .describe('Folder of a stack: database, queues, images, secrets, and the addresses for commands');

/** The settings of a command that talks to a running stack. */
export const StackEnvironment = z.object({
  DATA_DIR: dataDir,
  REDIS_REQUESTS_URL: redisRequestsUrl.optional(),
  GATEWAY_URL: gatewayUrl.optional(),
  BASE_URL: baseUrl.optional(),
});

/** @throws Error with one line for people */
function settings(): z.output<typeof StackEnvironment> {
  try {
    return readEnvironment(StackEnvironment);
  } catch (error) {
    throw error instanceof EnvironmentError ? new Error(error.problems.join('; ')) : error;
  }
}

/**
 * The stack that was started with this DATA_DIR.
 *
 * @throws Error with one sentence for people when none runs
 */
export function runningStack(): StackAddress {
  const folder = resolve(settings().DATA_DIR);
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
export const requestsUrl = (): string => settings().REDIS_REQUESTS_URL ?? runningStack().requestsUrl;

/** Where the gateway is: GATEWAY_URL, with what BASE_URL says of it to clients, wins over the running stack. */
export function gatewayAddress(): Pick<StackAddress, 'baseUrl' | 'localUrl'> {
  const { GATEWAY_URL: localUrl, BASE_URL: baseUrl } = settings();
  return localUrl === undefined ? runningStack() : { baseUrl: baseUrl ?? localUrl, localUrl };
}

/** A URL that the stack handed out, as this machine reaches it. */
export const asReachedHere = (
  url: string,
  { baseUrl, localUrl }: Pick<StackAddress, 'baseUrl' | 'localUrl'>,
): string => (url.startsWith(`${baseUrl}/`) ? localUrl + url.slice(baseUrl.length) : url);
