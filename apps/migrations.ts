import type { ServiceName } from '#contracts';
import { type Migration, MigrationFailure, type LoadMigrations } from '#migrations';

/** Loads the migrations of each service. Literal imports, because bundlers include only those. */
const lists: Readonly<Record<ServiceName, () => Promise<{ readonly migrations: readonly Migration[] }>>> = {
  accounts: () => import('./accounts/src/migrations/index.js'),
  activity: () => import('./activity/src/migrations/index.js'),
  catalog: () => import('./catalog/src/migrations/index.js'),
  'material-rendering': () => import('./material-rendering/src/migrations/index.js'),
  social: () => import('./social/src/migrations/index.js'),
  webhooks: () => import('./webhooks/src/migrations/index.js'),
};

/**
 * Returns the migrations of a service, oldest first.
 *
 * @throws MigrationFailure when they cannot be loaded
 */
export const migrationsOfApp: LoadMigrations = async (service) => {
  try {
    return (await lists[service]()).migrations;
  } catch (error) {
    throw new MigrationFailure(
      `The migrations of ${service} cannot be loaded: ${(error as Error).message.split('\n')[0]}`,
    );
  }
};
