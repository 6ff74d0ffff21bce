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
  /** With the password: of the operator, or of the one user who may do everything. Database 0. */
  readonly url: string;
  /** The same for another user. */
  readonly urlOf: (user: string) => string;
  readonly port: number;
  readonly pid: number;
  /** `7.0.15`. */
  readonly version: string;
  /** Ends the server and waits for it. SIGTERM (default) saves an append-only file first. Stopping twice is fine. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface RedisOptions {
  /** Holds the settings, the log and, with appendOnly, the data; made when missing, continued when there. */
  readonly dataDir: string;
  /** A free one is chosen when absent. */
  readonly port?: number;
  /** True: jobs survive a restart (append-only file, flushed with each write). */
  readonly appendOnly?: boolean;
  /** Which users it has (tools/dev-stack/redis/redis-users.mjs). One who may do everything when absent. */
  readonly users?: RedisUsers.RedisRole;
  /** Number of logical databases. */
  readonly databases?: number;
}

/** A server that is busy, or reads its data, is slow. */
const answerWithinMs = 5_000;

/** A connection for asking one server once: no retries, no waiting. */
async function ask<R>(url: string, question: (redis: Redis) => Promise<R>): Promise<R | undefined> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: answerWithinMs,
    maxRetriesPerRequest: 0,
  });
  redis.on('error', () => undefined);
  // Whatever listens there may take a connection and say nothing for ever
  const limit = setTimeout(() => {
    redis.disconnect();
  }, answerWithinMs);
  try {
    await redis.connect();
    return await question(redis);
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

/** What a server says it is; undefined until it answers. */
const identityOf = (url: string): Promise<Identity | undefined> =>
  ask(url, async (redis) => {
    const facts = await redis.info('server');
    return {
      pid: Number(/^process_id:(\d+)/m.exec(facts)?.[1]),
      version: /^redis_version:(\S+)/m.exec(facts)?.[1] ?? '',
    };
  });

async function secretOf(dataDir: string): Promise<string> {
  const file = join(dataDir, 'password');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept) return kept.trim();
  const password = randomBytes(24).toString('hex');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return password;
}

/** How a server lets people in: the lines of its settings, and the user and password of a URL. */
interface Access {
  readonly lines: string;
  readonly credentialsOf: (user: string) => string;
}

async function accessOf({ users }: RedisOptions, secret: string): Promise<Access> {
  if (!users) return { lines: `requirepass ${secret}`, credentialsOf: () => `:${secret}` };
  // Not compiled: tools/secrets.mjs uses it where nothing is installed
  const file = pathToFileURL(projectPath('tools/dev-stack/redis/redis-users.mjs'));
  const { redisPassword, usersOf } = (await import(file.href)) as typeof RedisUsers;
  return { lines: usersOf(users, secret), credentialsOf: (user) => `${user}:${redisPassword(secret, user)}` };
}

const urlOf = (credentials: string, port: number): string => `redis://${credentials}@127.0.0.1:${port}`;

/**
 * Ends a server that a dead process left on this folder. It is ours when it takes one of our credentials and has the noted id.
 *
 * @throws StartFailure when something else listens there: a second server would write to the same append-only file
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
        `Port ${port} is that of a Redis on ${dataDir}, which rejects its passwords or does not answer. End process ${pid} if it is a Redis, or else remove ${file}`,
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
    // Not every second: a server that is still writing to disk then answers first and writes later, and what it has
    // acknowledged is lost when it is killed in between
    'appendfsync always',
    'maxmemory-policy noeviction',
    `databases ${options.databases ?? 16}`,
    '',
  ].join('\n');
}

/** Starts one server and waits until it answers; undefined when it ended instead. */
async function launch(dataDir: string, url: string): Promise<Identity | undefined> {
  const program = await redisProgram();
  const log = openSync(join(dataDir, 'server.log'), 'a', 0o600);
  // Its own session: Ctrl-C in the terminal must not reach it before the apps have ended
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

async function end(pid: number, signal: NodeJS.Signals, dataDir: string): Promise<void> {
  if (isAlive(pid)) process.kill(pid, signal);
  if (!(await waitForExit(pid, 10_000))) process.kill(pid, 'SIGKILL');
  await waitForExit(pid, 2_000);
  await rm(join(dataDir, 'redis.pid'), { force: true });
}

/**
 * Starts a Redis server of its own on 127.0.0.1. A server that still runs on the same folder is stopped first: it was
 * left by a process that could not stop it.
 *
 * @throws StartFailure one line that says what is wrong
 */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const secret = await secretOf(dataDir);
  const access = await accessOf(options, secret);
  const operator = access.credentialsOf('operator');
  // Versions without users had one password for all
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
        stop: (signal = 'SIGTERM') => (stopped ??= end(pid, signal, dataDir)),
      };
    }
    // A chosen port may be lost to somebody else between the choice and the start
    if (options.port !== undefined || attempt === 3) {
      throw new StartFailure(`Redis does not start on port ${port}: ${await lastLogLine(dataDir)}`);
    }
  }
}
