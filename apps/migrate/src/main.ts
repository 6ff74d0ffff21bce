import { EnvironmentError } from '#config';
import { serviceNames, type ServiceName } from '#contracts';
import { readMigrateEnvironment } from './env.js';
import { migrate, MigrationFailure } from '#migrations';
import { migrationsOfApp } from '../../migrations.js';

const help = `npm run migrate [-- SERVICE ...]: migrates a PostgreSQL database to this version. Idempotent; concurrent runs wait
for each other. Without arguments the database is that of all services: docs/operations.md.

  DATABASE_URL           URL of the database, as a user who may create schemas and roles
  DATABASE_ROLES_SECRET  at least 32 characters; passwords of the services' roles are derived from it.
                         Without it the roles cannot log in until an administrator sets a password.`;

function serviceNamed(name: string): ServiceName {
  const service = serviceNames.find((each) => each === name);
  if (service === undefined)
    throw new MigrationFailure(`Unknown service ${name}. Services: ${serviceNames.join(', ')}`);
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
      log: (line) => {
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
