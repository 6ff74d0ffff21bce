import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { ServiceName } from '#contracts';
import type { Database, DataSourceOptionsOf } from '#persistence';
import { readTestEnvironment } from './env.js';

export interface TestDatabase {
  /** As the role of the service: what the service itself is given. */
  readonly url: string;
  /** As the role of another service, for tests of several. */
  readonly urlOf: (service: ServiceName) => string;
  /** As the owner of all schemas, for looking into other services' tables. Its search_path is not set. */
  readonly ownerUrl: string;
  /** Connected as the role of the service. */
  readonly database: Database;
  /** Disconnects and drops the database, whoever else is still connected. */
  close(): Promise<void>;
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Nobody may be connected to the template while it is copied, hence the database `postgres`. */
async function asOwner<R>(url: string, work: (owner: pg.Client) => Promise<R>): Promise<R> {
  const owner = new pg.Client(inDatabase(url, 'postgres'));
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

/**
 * A migrated, empty database of its own, seen as one service sees it. Takes some 50 ms: one per test file, in
 * `beforeAll`, closed in `afterAll`.
 *
 * @param entities of the service, when the test saves through its repositories
 */
export async function testDatabase(
  service: ServiceName,
  entities: DataSourceOptionsOf['entities'] = [],
): Promise<TestDatabase> {
  // Its packages are not for every test file: 0.8 s of a processor
  const persistence = await import('#persistence');
  const { owner: templateUrl, services } = readTestEnvironment().STOREFRONT_TEST_DATABASES;
  const template = new URL(templateUrl).pathname.slice(1);
  const name = `test_${persistence.schemaOf(service)}_${randomBytes(6).toString('hex')}`;
  await asOwner(templateUrl, (owner) => owner.query(`create database "${name}" template "${template}"`));
  const url = inDatabase(services[service], name);
  const source = await persistence.serviceDataSource({ service, url, poolSize: 5, entities }).initialize();
  return {
    url,
    urlOf: (other) => inDatabase(services[other], name),
    ownerUrl: inDatabase(templateUrl, name),
    database: new persistence.Database(source),
    close: async () => {
      if (source.isInitialized) await source.destroy();
      await asOwner(templateUrl, (owner) => owner.query(`drop database if exists "${name}" with (force)`));
    },
  };
}
