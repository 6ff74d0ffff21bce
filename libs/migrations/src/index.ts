export * from './migrate.js';
export * from './migration-failure.js';
export { ensureReplicator, serviceDatabaseUrl } from './roles.js';
