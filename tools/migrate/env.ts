import { z } from 'zod';
import { databaseUrl, readEnvironment, secret } from '#config';

/** The settings of the migrate command. */
export const readMigrateEnvironment = () =>
  readEnvironment(z.object({ DATABASE_URL: databaseUrl, DATABASE_ROLES_SECRET: secret.optional() }));
