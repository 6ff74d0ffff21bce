import { z } from 'zod';
import { databaseUrl, readEnvironment, rolesSecret } from '#config';

/** Settings of the migrate command. */
export const Environment = z.object({ DATABASE_URL: databaseUrl, DATABASE_ROLES_SECRET: rolesSecret });

export const readMigrateEnvironment = () => readEnvironment(Environment);
