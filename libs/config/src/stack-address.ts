import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { EnvironmentError, readEnvironment } from './environment.js';
import { baseUrl, gatewayUrl, redisRequestsUrl } from './shared-settings.js';

/**
 * Addresses of a running stack, with an API key and its process id, written to its DATA_DIR for
 * commands.
 */
export interface StackAddress {
  /** URL that clients use: BASE_URL. The reverse proxy at this URL may not be running yet. */
  readonly baseUrl: string;
  /** URL of the gateway on this machine. */
  readonly localUrl: string;
  readonly requestsUrl: string;
  readonly jobsUrl: string;
  /** URL for the role that owns all schemas. */
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

/** Settings of a command that calls a running stack. */
export const StackEnvironment = z.object({
  DATA_DIR: dataDir,
  REDIS_REQUESTS_URL: redisRequestsUrl.optional(),
  GATEWAY_URL: gatewayUrl.optional(),
  BASE_URL: baseUrl.optional(),
});

/** @throws Error with a message of one line */
function settings(): z.output<typeof StackEnvironment> {
  try {
    return readEnvironment(StackEnvironment);
  } catch (error) {
    throw error instanceof EnvironmentError ? new Error(error.problems.join('; ')) : error;
  }
}

/**
 * Returns the running stack that was started with this DATA_DIR.
 *
 * @throws Error with a one-line message when no such stack runs or a setting is invalid
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

/**
 * Returns the URL of the request queue. The environment takes precedence over the running stack.
 */
export const requestsUrl = (): string => settings().REDIS_REQUESTS_URL ?? runningStack().requestsUrl;

/**
 * Returns the URLs of the gateway. GATEWAY_URL takes precedence over the running stack; the public
 * URL is then BASE_URL, by default GATEWAY_URL. BASE_URL is ignored without GATEWAY_URL.
 */
export function gatewayAddress(): Pick<StackAddress, 'baseUrl' | 'localUrl'> {
  const { GATEWAY_URL: localUrl, BASE_URL: baseUrl } = settings();
  return localUrl === undefined ? runningStack() : { baseUrl: baseUrl ?? localUrl, localUrl };
}

/** Returns the local URL for a public URL of the stack. */
export const toLocalUrl = (url: string, { baseUrl, localUrl }: Pick<StackAddress, 'baseUrl' | 'localUrl'>): string =>
  url.startsWith(`${baseUrl}/`) ? localUrl + url.slice(baseUrl.length) : url;
