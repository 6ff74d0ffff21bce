export * from './broken-rules.js';
export * from './collect-garbage.js';
export * from './eventually.js';
export * from './tcp-proxy.js';
export * from './test-database.js';
export * from './test-migrations.js';
export * from './test-redis.js';
