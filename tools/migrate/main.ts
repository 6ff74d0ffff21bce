import { EnvironmentError } from '#config';
import { readMigrateEnvironment } from './env.js';
import { migrate, MigrationFailure } from './migrate.js';

const help = `npm run migrate: brings a PostgreSQL database to what this version needs. Safe to run again, and twice at once.

  DATABASE_URL           the database, as a user who may create schemas and roles
  DATABASE_ROLES_SECRET  at least 32 characters; the services' roles get passwords made from it.
                         Without it the roles cannot log in until an administrator gives them a password.`;

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(help);
    return;
  }
  const environment = readMigrateEnvironment();
  await migrate({
    url: environment.DATABASE_URL,
    ...(environment.DATABASE_ROLES_SECRET && { rolesSecret: environment.DATABASE_ROLES_SECRET }),
    say: (line) => {
      console.log(line);
    },
  });
}

main().catch((error: unknown) => {
  const expected = error instanceof MigrationFailure || error instanceof EnvironmentError;
  console.error(expected ? error.message : error);
  process.exitCode = 1;
});
