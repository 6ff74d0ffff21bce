import { z } from 'zod';
import { blobStoreUrl, databaseUrl, EnvironmentError, readEnvironment, redisJobsUrl, rolesSecret } from '#config';

/**
 * Settings of the operator command. The error of a command names the settings that it needs and
 * that are missing.
 */
export const Env = z.object({
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_ROLES_SECRET: rolesSecret,
  RECEIVING_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'Database on a second server that tables are moved or replicated to, as the owner of all schemas: [operations.md](operations.md#one-database-for-each-service)',
    ),
  REDIS_JOBS_URL: redisJobsUrl.optional(),
  BLOB_STORE_URL: blobStoreUrl.optional(),
});

/** @throws Error with a one-line message */
export function readEnv(): z.output<typeof Env> {
  try {
    return readEnvironment(Env);
  } catch (error) {
    throw error instanceof EnvironmentError ? new Error(error.problems.join('; ')) : error;
  }
}
