import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { StartFailure } from '../failure.js';
import { minimumVersion } from './redis-program.js';

const replyTimeoutMs = 5_000;

/** Returns host and port of a Redis URL, without its secrets. */
function hostOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || 6379}`;
}

/** Returns INFO of the server. @throws the error of the connection or the server */
async function serverInfo(url: string): Promise<string> {
  const redis = new Redis(url, {
    ...redisTls(url),
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    connectTimeout: 0,
  });
  return new Promise<string>((resolve, reject) => {
    // Another program may accept the connection and never reply
    const limit = setTimeout(() => {
      reject(new Error(`no reply within ${replyTimeoutMs / 1000} s`));
    }, replyTimeoutMs);
    // The event has the cause; the rejected `connect` only reports a closed connection
    redis.on('error', reject);
    redis
      .connect()
      .then(() => redis.ping())
      .then(() => redis.info('server'))
      .then(resolve, (error: unknown) => setImmediate(() => reject(error as Error)))
      .finally(() => clearTimeout(limit));
  }).finally(() => redis.disconnect());
}

/**
 * Returns the system error code, or the first word of a Redis error, whose rest may contain the
 * password.
 */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? /^ERR DB index is out of range|^[A-Z]{3,}\b/.exec(message)?.[0] ?? message;
}

/**
 * Checks an external Redis server. Messages never contain its password.
 *
 * @throws StartFailure with a one-line message if the server is unreachable, rejects the password
 *   or is too old
 */
export async function checkRedis(variable: string, url: string): Promise<void> {
  const place = `${variable}: the Redis at ${hostOf(url)}`;
  const facts = await serverInfo(url).catch((error: unknown) => {
    const fault = error as NodeJS.ErrnoException;
    const trouble = fault.name === 'ReplyError' ? 'rejects the connection' : 'is not reachable';
    throw new StartFailure(`${place} ${trouble} (${reasonOf(fault)}).`);
  });
  const version = /^redis_version:(\S+)/m.exec(facts)?.[1] ?? '0';
  if (parseInt(version, 10) < minimumVersion)
    throw new StartFailure(`${place} is version ${version}; ${minimumVersion}.0 or newer is needed.`);
}
