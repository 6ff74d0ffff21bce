import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { ServiceName } from '#contracts';
import type { Database, DataSourceOptionsOf } from '#persistence';
import { readTestEnvironment } from './env.js';

export interface TestDatabase {
  /** URL as the role of the service, as the service itself gets it. */
  readonly url: string;
  /** URL as the role of another service, for tests of several services. */
  readonly urlOf: (service: ServiceName) => string;
  /**
   * URL as the owner of all schemas, to query other services' tables. Its search_path is not set.
   */
  readonly ownerUrl: string;
  /** Connected as the role of the service. */
  readonly database: Database;
  /** Disconnects and drops the database, also when other clients are still connected. */
  close(): Promise<void>;
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/**
 * Connects to the database `postgres`: no client may be connected to the template while PostgreSQL
 * copies it.
 */
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
 * Creates a separate, migrated, empty database with a connection as the role of one service. Takes
 * some 50 ms: create one per test file in `beforeAll`, and close it in `afterAll`.
 *
 * @param entities of the service, when the test saves through its repositories
 */
export async function testDatabase(
  service: ServiceName,
  entities: DataSourceOptionsOf['entities'] = [],
): Promise<TestDatabase> {
  // Imported here because loading its packages takes 0.8 s of CPU time, and not every test needs
  // them
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
