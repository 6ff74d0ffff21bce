import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serviceNames } from '#contracts';
import { startPostgres, startRedis, type RunningPostgres, type RunningRedis } from '#dev-stack';
import { migrate, serviceDatabaseUrl, type LoadMigrations } from '#migrations';
import { migrationsOfApp } from '../../apps/migrations.js';

// Servers of the medium tests, in a separate process: when jest exits, even by SIGKILL, the IPC
// channel closes, and this process stops the servers and removes their folder.

const template = 'storefront_template';

/**
 * Loads the migrations of a service. If that fails, returns none: its schema stays empty, and the
 * tests of other services run.
 */
const loadMigrationsOrNone: LoadMigrations = (service) =>
  migrationsOfApp(service).catch((error: unknown) => {
    console.error(`medium tests: ${(error as Error).message}`);
    return [];
  });

async function migratedTemplate(server: RunningPostgres): Promise<Record<string, unknown>> {
  const admin = new pg.Client(server.url);
  await admin.connect();
  await admin.query(`create database "${template}"`);
  await admin.end();
  const url = new URL(server.url);
  url.pathname = `/${template}`;
  const rolesSecret = randomBytes(32).toString('hex');
  await migrate({ url: url.href, rolesSecret }, loadMigrationsOrNone);
  const services = serviceNames.map((service) => [service, serviceDatabaseUrl(url.href, service, rolesSecret)]);
  return { owner: url.href, services: Object.fromEntries(services) as unknown };
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-test-'));
  const servers: (RunningPostgres | RunningRedis)[] = [];
  let ending = false;
  const end = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    await Promise.allSettled(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
    process.exit();
  };
  process.once('disconnect', () => void end());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end());
  try {
    const [postgres, redis] = await Promise.all([
      startPostgres({ dataDir: join(folder, 'postgres'), durable: false }).then(
        (server) => (servers.push(server), server),
      ),
      startRedis({ dataDir: join(folder, 'redis'), databases: 1_024 }).then((server) => (servers.push(server), server)),
    ]);
    process.send?.({
      STOREFRONT_TEST_DATABASES: JSON.stringify(await migratedTemplate(postgres)),
      STOREFRONT_TEST_REDIS_URL: redis.url,
      STOREFRONT_TEST_FOLDER: folder,
    });
  } catch (error) {
    process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    await end();
  }
}

await main();
