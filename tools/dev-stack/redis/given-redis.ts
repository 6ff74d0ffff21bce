import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { StartFailure } from '../failure.js';
import { oldestUsable } from './redis-program.js';

const answerWithinMs = 5_000;

/** Host and port of a Redis URL, without what is secret in it. */
function placeOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || 6379}`;
}

/** The server's facts after a PING. @throws what the connection or the server says */
async function questioned(url: string): Promise<string> {
  const redis = new Redis(url, {
    ...redisTls(url),
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    connectTimeout: 0,
  });
  return new Promise<string>((resolve, reject) => {
    // Whatever listens there may take a connection and say nothing for ever
    const limit = setTimeout(() => {
      reject(new Error(`no answer within ${answerWithinMs / 1000} s`));
    }, answerWithinMs);
    // The event has the reason; the refused `connect` only says that the connection is closed
    redis.on('error', reject);
    redis
      .connect()
      .then(() => redis.ping())
      .then(() => redis.info('server'))
      .then(resolve, (error: unknown) => setImmediate(() => reject(error as Error)))
      .finally(() => clearTimeout(limit));
  }).finally(() => redis.disconnect());
}

/** A code of the system, or the first word of a Redis error: the rest may repeat a command, and so the password. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? /^ERR DB index is out of range|^[A-Z]{3,}\b/.exec(message)?.[0] ?? message;
}

/**
 * Tries a Redis server that somebody else runs. Nothing printed holds its password.
 *
 * @throws StartFailure one line, when it cannot be reached, refuses the password, or is older than the request queue needs
 */
export async function checkRedis(variable: string, url: string): Promise<void> {
  const place = `${variable}: the Redis at ${placeOf(url)}`;
  const facts = await questioned(url).catch((error: unknown) => {
    const fault = error as NodeJS.ErrnoException;
    const trouble = fault.name === 'ReplyError' ? 'refuses' : 'is not reachable';
    throw new StartFailure(`${place} ${trouble} (${reasonOf(fault)}).`);
  });
  const version = /^redis_version:(\S+)/m.exec(facts)?.[1] ?? '0';
  if (parseInt(version, 10) < oldestUsable)
    throw new StartFailure(`${place} is version ${version}; ${oldestUsable}.0 or newer is needed.`);
}
