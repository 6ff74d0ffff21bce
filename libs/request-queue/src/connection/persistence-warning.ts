import { QueueConnection } from './connection.js';
import type { QueueLog } from '../queue-log.js';

/** Parses the reply to CONFIG GET, a list of alternating names and values. */
function parseConfig(reply: unknown): { appendonly?: string; save?: string } {
  const words = reply as string[];
  return Object.fromEntries(words.flatMap((name, index) => (index % 2 === 0 ? [[name, words[index + 1]]] : [])));
}

/**
 * Logs a warning when the requests Redis writes to disk: passwords, codes and tokens pass through
 * it in clear text. Call this function once at startup, without awaiting it: it waits for Redis and
 * never fails. There is no warning when the user of Redis may not execute CONFIG, as the users of
 * the development stack and of hosted servers.
 *
 * @returns resolves after the check
 */
export function warnOfPersistence(redisUrl: string, log: QueueLog): Promise<void> {
  const connection = new QueueConnection({ redisUrl, name: 'persistence-warning' });
  const check = async (): Promise<void> => {
    const { appendonly, save } = parseConfig(
      await connection.run((redis) => redis.config('GET', 'appendonly', 'save')),
    );
    if (appendonly !== 'yes' && !save) return;
    log.warn(
      { appendonly, save },
      'REDIS_REQUESTS_URL persists requests to disk, with passwords and tokens in clear: set appendonly no and save ""',
    );
  };
  return new Promise((resolve) => {
    connection.onReady(() => {
      void check()
        .catch(() => undefined)
        .finally(() => {
          connection.close();
          resolve();
        });
    });
  });
}
