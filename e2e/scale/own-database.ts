import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceName } from '#contracts';
import { startPostgres } from '#dev-stack';
import { migrate, serviceDatabaseUrl } from '#migrations';
import { migrationsOfApp } from '../../apps/migrations.js';

/** A migrated database on a server that only this test uses. */
export interface OwnDatabase {
  readonly ownerUrl: string;
  readonly urlOf: (service: ServiceName) => string;
  /** Stops the server and deletes its files. */
  close(): Promise<void>;
}

export async function startOwnDatabase(): Promise<OwnDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-scale-'));
  const server = await startPostgres({ dataDir: folder, durable: false });
  const rolesSecret = randomBytes(32).toString('hex');
  await migrate({ url: server.url, rolesSecret }, migrationsOfApp);
  return {
    ownerUrl: server.url,
    urlOf: (service) => serviceDatabaseUrl(server.url, service, rolesSecret),
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
