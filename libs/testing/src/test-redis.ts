import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { readTestEnvironment } from './env.js';

/** Number of logical databases of the Redis that the setup starts; number 0 is not used. */
const databases = 1_024;

/**
 * Returns the URL of an empty logical database that no other caller of this run gets. Channels of
 * publish/subscribe are shared by all logical databases: two test files that subscribe to the same
 * channel receive each other's messages.
 *
 * @throws Error when all are in use
 */
export function testRedisUrl(): string {
  const environment = readTestEnvironment();
  for (let number = 1; number < databases; number++) {
    try {
      // Creating the file exclusively makes the choice atomic between the worker processes of jest
      closeSync(openSync(join(environment.STOREFRONT_TEST_FOLDER, `redis-database-${number}`), 'wx'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    const url = new URL(environment.STOREFRONT_TEST_REDIS_URL);
    url.pathname = `/${number}`;
    return url.href;
  }
  throw new Error(`all ${databases} logical databases of this run's Redis are in use`);
}
