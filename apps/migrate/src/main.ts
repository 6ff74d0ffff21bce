import { EnvironmentError } from '#config';
import { serviceNames, type ServiceName } from '#contracts';
import { readMigrateEnvironment } from './env.js';
import { migrate, MigrationFailure } from '#migrations';
import { migrationsOfApp } from '../../migrations.js';

const help = `npm run migrate [-- SERVICE ...]: brings a PostgreSQL database to what this version needs. Safe to run again, and
twice at once. Without a service it is the database of all of them: docs/operations.md.

  DATABASE_URL           the database, as a user who may create schemas and roles
  DATABASE_ROLES_SECRET  at least 32 characters; the services' roles get passwords made from it.
                         Without it the roles cannot log in until an administrator gives them a password.`;

function serviceNamed(name: string): ServiceName {
  const service = serviceNames.find((it) => it === name);
  if (service === undefined) throw new MigrationFailure(`There is no service ${name}: ${serviceNames.join(', ')}`);
  return service;
}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(help);
    return;
  }
  const services = process.argv.slice(2).map(serviceNamed);
  const environment = readMigrateEnvironment();
  await migrate(
    {
      url: environment.DATABASE_URL,
      ...(environment.DATABASE_ROLES_SECRET && { rolesSecret: environment.DATABASE_ROLES_SECRET }),
      ...(services.length > 0 && { services }),
      say: (line) => {
        console.log(line);
      },
    },
    migrationsOfApp,
  );
}

main().catch((error: unknown) => {
  const expected = error instanceof MigrationFailure || error instanceof EnvironmentError;
  console.error(expected ? error.message : error);
  process.exitCode = 1;
});
