export * from './eventually.js';
export * from './test-database.js';
export * from './test-migrations.js';
export * from './test-redis.js';
