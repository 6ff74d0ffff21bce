import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync, closeSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { projectPath } from '#config';
import type * as RedisUsers from './redis-users.mjs';
import { StartFailure } from '../failure.js';
import { freePort, isPortFree } from '../system/free-port.js';
import { redisProgram } from './redis-program.js';
import { isAlive, waitForExit } from '../system/run.js';

export interface RunningRedis {
  /** URL with password, of the operator or of the single unrestricted user. Database 0. */
  readonly url: string;
  /** Returns the URL of another user. */
  readonly urlOf: (user: string) => string;
  readonly port: number;
  readonly pid: number;
  /** `7.0.15`. */
  readonly version: string;
  /**
   * Stops the server and waits for its exit. SIGTERM (default) flushes the append-only file first.
   * Idempotent.
   */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface RedisOptions {
  /** Folder of configuration, log and, with appendOnly, data; created if missing. */
  readonly dataDir: string;
  /** A free port is chosen if undefined. */
  readonly port?: number;
  /** Persistence by an append-only file, flushed with each write. */
  readonly appendOnly?: boolean;
  /**
   * Set of users (tools/dev-stack/redis/redis-users.mjs). A single unrestricted user if undefined.
   */
  readonly users?: RedisUsers.RedisRole;
  /** Number of logical databases. */
  readonly databases?: number;
}

/** Reply timeout, for a server that is busy or loads its data. */
const replyTimeoutMs = 5_000;

/** Runs commands on a new connection, without retries; undefined if they fail. */
async function query<R>(url: string, commands: (redis: Redis) => Promise<R>): Promise<R | undefined> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: replyTimeoutMs,
    maxRetriesPerRequest: 0,
  });
  redis.on('error', () => undefined);
  // Another program may accept the connection and never reply
  const limit = setTimeout(() => {
    redis.disconnect();
  }, replyTimeoutMs);
  try {
    await redis.connect();
    return await commands(redis);
  } catch {
    return undefined;
  } finally {
    clearTimeout(limit);
    redis.disconnect();
  }
}

interface Identity {
  readonly pid: number;
  readonly version: string;
}

/** Returns the identity of a server; undefined if it does not reply. */
const identityOf = (url: string): Promise<Identity | undefined> =>
  query(url, async (redis) => {
    const info = await redis.info('server');
    return {
      pid: Number(/^process_id:(\d+)/m.exec(info)?.[1]),
      version: /^redis_version:(\S+)/m.exec(info)?.[1] ?? '',
    };
  });

async function secretOf(dataDir: string): Promise<string> {
  const file = join(dataDir, 'password');
  const stored = await readFile(file, 'utf8').catch(() => '');
  if (stored) return stored.trim();
  const password = randomBytes(24).toString('hex');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return password;
}

/** Access of a server: ACL lines of its configuration, and credentials of a URL. */
interface Access {
  readonly lines: string;
  readonly credentialsOf: (user: string) => string;
}

async function accessOf({ users }: RedisOptions, secret: string): Promise<Access> {
  if (!users) return { lines: `requirepass ${secret}`, credentialsOf: () => `:${secret}` };
  // Plain JavaScript, because tools/secrets.mjs uses it without an installation
  const file = pathToFileURL(projectPath('tools/dev-stack/redis/redis-users.mjs'));
  const { redisPassword, usersOf } = (await import(file.href)) as typeof RedisUsers;
  return { lines: usersOf(users, secret), credentialsOf: (user) => `${user}:${redisPassword(secret, user)}` };
}

const urlOf = (credentials: string, port: number): string => `redis://${credentials}@127.0.0.1:${port}`;

/**
 * Stops a server that a killed supervisor left running on this folder, identified by one of its
 * credentials and its process id.
 *
 * @throws StartFailure if another server listens: a second server would write to the same
 *   append-only file
 */
async function stopLeftOver(dataDir: string, credentials: readonly string[]): Promise<void> {
  const file = join(dataDir, 'redis.pid');
  const [pid, port] = (await readFile(file, 'utf8').catch(() => '')).split(' ').map(Number);
  if (pid && port && isAlive(pid)) {
    const identities = await Promise.all(credentials.map((it) => identityOf(urlOf(it, port))));
    if (identities.some((identity) => identity?.pid === pid)) {
      process.kill(pid, 'SIGTERM');
      if (!(await waitForExit(pid, 10_000))) process.kill(pid, 'SIGKILL');
      await waitForExit(pid, 1_000);
    } else if (!(await isPortFree(port)))
      throw new StartFailure(
        `Port ${port} belongs to a Redis on ${dataDir} that rejects its passwords or does not reply. Stop process ${pid} if it is a Redis, otherwise remove ${file}`,
      );
  }
  await rm(file, { force: true });
}

function configuration(options: RedisOptions, dataDir: string, access: Access, port: number): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    access.lines,
    `dir ${JSON.stringify(dataDir)}`,
    'daemonize no',
    'save ""',
    `appendonly ${options.appendOnly ? 'yes' : 'no'}`,
    // Not everysec: with a slow disk Redis would reply before writing, and lose acknowledged writes
    // when killed
    'appendfsync always',
    'maxmemory-policy noeviction',
    `databases ${options.databases ?? 16}`,
    '',
  ].join('\n');
}

/**
 * Starts a server and waits until it replies; undefined if it exits or does not reply within 30 s.
 */
async function launch(dataDir: string, url: string): Promise<Identity | undefined> {
  const program = await redisProgram();
  const log = openSync(join(dataDir, 'server.log'), 'a', 0o600);
  // A separate session: Ctrl-C in the terminal must not stop the server before the apps
  const child = spawn(program.path, [join(dataDir, 'redis.conf')], {
    cwd: dataDir,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...program.env },
  });
  closeSync(log);
  child.unref();
  const state = { ended: false };
  child.once('error', () => (state.ended = true));
  child.once('exit', () => (state.ended = true));
  const end = Date.now() + 30_000;
  while (!state.ended && Date.now() < end) {
    const identity = await identityOf(url);
    if (identity !== undefined && identity.pid === child.pid) return identity;
    await sleep(15);
  }
  if (!state.ended) child.kill('SIGKILL');
  return undefined;
}

async function lastLogLine(dataDir: string): Promise<string> {
  const log = await readFile(join(dataDir, 'server.log'), 'utf8').catch(() => '');
  // `1234:M 20 Nov 2026 19:14:15.632 # text`
  const lines = log
    .trim()
    .split('\n')
    .map((line) => line.replace(/^\d+:\w .*? [-#*.] /, ''));
  return lines.filter((line) => /in use|could not|fail|error|can't|fatal/i.test(line)).at(-1) ?? lines.at(-1) ?? '';
}

async function stopProcess(pid: number, signal: NodeJS.Signals, dataDir: string): Promise<void> {
  if (isAlive(pid)) process.kill(pid, signal);
  if (!(await waitForExit(pid, 10_000))) process.kill(pid, 'SIGKILL');
  await waitForExit(pid, 2_000);
  await rm(join(dataDir, 'redis.pid'), { force: true });
}

/**
 * Starts a Redis server on 127.0.0.1. A server that still runs on the same folder, left by a killed
 * supervisor, is stopped first.
 *
 * @throws StartFailure with a one-line message
 */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const secret = await secretOf(dataDir);
  const access = await accessOf(options, secret);
  const operator = access.credentialsOf('operator');
  // Earlier versions had one password for all users
  await stopLeftOver(dataDir, [operator, `:${secret}`]);
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const url = urlOf(operator, port);
    await writeFile(join(dataDir, 'redis.conf'), configuration(options, dataDir, access, port), { mode: 0o600 });
    const launched = await launch(dataDir, url);
    if (launched) {
      const { pid } = launched;
      await writeFile(join(dataDir, 'redis.pid'), `${pid} ${port}`);
      let stopped: Promise<void> | undefined;
      const others = { urlOf: (user: string) => urlOf(access.credentialsOf(user), port) };
      return {
        ...launched,
        url,
        ...others,
        port,
        stop: (signal = 'SIGTERM') => (stopped ??= stopProcess(pid, signal, dataDir)),
      };
    }
    // Another program may take a free port before the server starts, so up to three are tried. A
    // given port is tried once
    if (options.port !== undefined || attempt === 3) {
      throw new StartFailure(`Redis does not start on port ${port}: ${await lastLogLine(dataDir)}`);
    }
  }
}
