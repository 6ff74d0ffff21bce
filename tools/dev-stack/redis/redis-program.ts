import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { distributionRedis, type RedisProgram } from './distribution-redis.js';
import { StartFailure } from '../failure.js';
import { run } from '../system/run.js';

/** The request queue pops with BLMPOP, which came with 7.0. */
export const minimumVersion = 7;

function onPath(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The folder has no such file
    }
  }
  return undefined;
}

/** Returns the major version of `redis-server --version`; 0 if the program does not run. */
async function majorVersion({ path, env }: RedisProgram): Promise<number> {
  const { code, output } = await run(path, ['--version'], { env: { ...process.env, ...env } });
  return code === 0 ? Number(/\bv=(\d+)/.exec(output)?.[1] ?? 0) : 0;
}

const installLine = (): string =>
  process.platform === 'darwin' ? 'brew install redis' : "sudo apt-get install redis-server (or your system's package)";

let found: Promise<RedisProgram> | undefined;

async function findProgram(): Promise<RedisProgram> {
  let tooOld = '';
  for (const name of ['redis-server', 'valkey-server']) {
    const path = onPath(name);
    if (path === undefined) continue;
    const program = { path, env: {} };
    const version = await majorVersion(program);
    if (version >= minimumVersion) return program;
    tooOld = ` (${path} is version ${version})`;
  }
  const unpacked = await distributionRedis();
  if (unpacked && (await majorVersion(unpacked)) >= minimumVersion) return unpacked;
  throw new StartFailure(
    `Redis ${minimumVersion} or newer was not found${tooOld}. Install it with: ${installLine()}, or set REDIS_REQUESTS_URL and REDIS_JOBS_URL.`,
  );
}

/**
 * Returns a Redis or Valkey server: from PATH, or from the distribution's packages, unpacked
 * without root.
 *
 * @throws StartFailure with the command that installs one
 */
export const redisProgram = (): Promise<RedisProgram> => (found ??= findProgram());
