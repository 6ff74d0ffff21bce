import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { readTestEnvironment } from './env.js';

/** The setup starts Redis with this many logical databases; number 0 belongs to nobody. */
const databases = 1_024;

/**
 * The URL of an empty logical database that no other caller of this run gets. Channels of publish/subscribe are not part
 * of a logical database: two test files that listen to the same channel hear each other.
 *
 * @throws Error when all are given away
 */
export function testRedisUrl(): string {
  const environment = readTestEnvironment();
  for (let number = 1; number < databases; number++) {
    try {
      // The exclusive file makes the choice atomic between the worker processes of jest
      closeSync(openSync(join(environment.STOREFRONT_TEST_FOLDER, `redis-database-${number}`), 'wx'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    const url = new URL(environment.STOREFRONT_TEST_REDIS_URL);
    url.pathname = `/${number}`;
    return url.href;
  }
  throw new Error(`all ${databases} logical databases of this run's Redis are given away`);
}
