import { z } from 'zod';
import {
  blobStoreUrl,
  databaseUrl,
  EnvironmentError,
  gatewayUrl,
  readEnvironment,
  redisJobsUrl,
  rolesSecret,
} from '#config';

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
  GATEWAY_URL: gatewayUrl.optional(),
  API_KEY: z
    .string()
    .min(1)
    .optional()
    .meta({ secret: true })
    .describe(
      'Personal API key or token of `operator event listen`. Without it the key of the user demo in the stack of DATA_DIR',
    ),
});

/** @throws Error with a one-line message */
export function readEnv(): z.output<typeof Env> {
  try {
    return readEnvironment(Env);
  } catch (error) {
    throw error instanceof EnvironmentError ? new Error(error.problems.join('; ')) : error;
  }
}
