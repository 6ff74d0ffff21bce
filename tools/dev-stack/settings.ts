import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import {
  baseUrl,
  blobStoreUrl,
  databaseUrl,
  host,
  internalPort,
  port,
  queueBoardPassword,
  readEnvironment,
  redisJobsUrl,
  redisRequestsUrl,
  rolesSecret,
  dataDir,
} from '#config';
import { appNames, type AppName } from './apps/apps.js';
import { StartFailure } from './failure.js';

export type Replicas = Readonly<Record<AppName, number>>;

export interface Flags {
  readonly demo: boolean;
  readonly temporary: boolean;
  readonly replicas: Replicas;
}

const maxReplicas = 32;

/**
 * Parses `catalog=2,social=3` into a number for every app. @throws StartFailure with the invalid
 * part
 */
export function parseReplicas(text: string): Replicas {
  const replicas = Object.fromEntries(appNames.map((app) => [app, 1])) as Record<AppName, number>;
  for (const part of text.split(',').filter((it) => it.trim() !== '')) {
    const [name = '', count = ''] = part.split('=').map((it) => it.trim());
    const app = appNames.find((it) => it === name);
    if (!app) throw new StartFailure(`--replicas: unknown app "${name}"; use ${appNames.join(', ')}.`);
    if (app === 'gateway')
      throw new StartFailure('--replicas: the stack has one gateway; start another stack or use a proxy.');
    if (!/^\d+$/.test(count) || Number(count) < 1 || Number(count) > maxReplicas) {
      throw new StartFailure(`--replicas: ${app} needs a number from 1 to ${maxReplicas}, not "${count}".`);
    }
    replicas[app] = Number(count);
  }
  return replicas;
}

/**
 * Parses the flags. @throws StartFailure with one line about an unknown flag or an invalid value
 */
export function parseFlags(parameters: readonly string[]): Flags {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        replicas: { type: 'string', default: '' },
        'no-demo': { type: 'boolean', default: false },
        temporary: { type: 'boolean', default: false },
      },
    });
    return {
      demo: !values['no-demo'],
      temporary: values.temporary,
      replicas: parseReplicas(values.replicas),
    };
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw new StartFailure(`${(error as Error).message.split('\n')[0]} (npm start -- --help)`);
  }
}

export const Environment = z.object({
  PORT: port,
  // Loopback, because the demo users are for the local user only
  HOST: host('127.0.0.1'),
  BASE_URL: baseUrl.optional(),
  DATA_DIR: dataDir,
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_ROLES_SECRET: rolesSecret,
  REDIS_REQUESTS_URL: redisRequestsUrl.optional(),
  REDIS_JOBS_URL: redisJobsUrl.optional(),
  BLOB_STORE_URL: blobStoreUrl.optional(),
  INTERNAL_PORT: internalPort,
  QUEUE_BOARD_PASSWORD: queueBoardPassword,
});

export interface StackSettings {
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly blobStoreUrl: string;
  /** URL of an external PostgreSQL server. The stack starts one if it is undefined. */
  readonly databaseUrl: string | undefined;
  /** Secret for the passwords of the services' roles; generated in the data folder if undefined. */
  readonly rolesSecret: string | undefined;
  /** URL of an external Redis server, as is `jobsUrl`. The stack starts one if it is undefined. */
  readonly requestsUrl: string | undefined;
  readonly jobsUrl: string | undefined;
  /**
   * Internal port of the first process; each further process has the next one. None if undefined.
   */
  readonly firstInternalPort: number | undefined;
  /** Generated in the data folder if undefined. */
  readonly queueBoardPassword: string | undefined;
}

/** Reads the settings. @throws EnvironmentError */
export function readSettings(environment: NodeJS.ProcessEnv): StackSettings {
  const read = readEnvironment(Environment, environment);
  const folder = resolve(read.DATA_DIR);
  return {
    port: read.PORT,
    host: read.HOST,
    baseUrl: read.BASE_URL ?? `http://localhost:${read.PORT}`,
    dataDir: folder,
    blobStoreUrl: read.BLOB_STORE_URL ?? pathToFileURL(resolve(folder, 'blobs')).href,
    databaseUrl: read.DATABASE_URL,
    rolesSecret: read.DATABASE_ROLES_SECRET,
    requestsUrl: read.REDIS_REQUESTS_URL,
    jobsUrl: read.REDIS_JOBS_URL,
    firstInternalPort: read.INTERNAL_PORT || undefined,
    queueBoardPassword: read.QUEUE_BOARD_PASSWORD,
  };
}
