export * from './migrate.js';
export * from './migration-failure.js';
export { provideReplicator, serviceDatabaseUrl } from './roles.js';
