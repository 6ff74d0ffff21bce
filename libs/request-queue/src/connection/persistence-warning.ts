import { QueueConnection } from './connection.js';
import type { QueueLog } from '../queue-log.js';

/** Redis answers with names and values in turn. */
function settingsOf(answer: unknown): { appendonly?: string; save?: string } {
  const words = answer as string[];
  return Object.fromEntries(words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1]]] : [])));
}

/**
 * Warns when the Redis of the requests writes them to disk: passwords, codes and tokens pass through it in clear. For a
 * process to call once, beside its start: it asks as soon as Redis is there, and never fails. A server that forbids
 * CONFIG to its users, as hosted ones and our own do, is not warned of.
 *
 * @returns resolves when Redis has been asked
 */
export function warnOfPersistence(redisUrl: string, log: QueueLog): Promise<void> {
  const connection = new QueueConnection({ redisUrl, name: 'persistence-warning' });
  const ask = async (): Promise<void> => {
    const { appendonly, save } = settingsOf(await connection.run((redis) => redis.config('GET', 'appendonly', 'save')));
    if (appendonly !== 'yes' && !save) return;
    log.warn(
      { appendonly, save },
      'REDIS_REQUESTS_URL keeps what passes through it on disk: passwords and tokens among it; set appendonly no and save ""',
    );
  };
  return new Promise((resolve) => {
    connection.onReady(() => {
      void ask()
        .catch(() => undefined)
        .finally(() => {
          connection.close();
          resolve();
        });
    });
  });
}
