export * from './failure.js';
export * from './system/free-port.js';
export * from './postgres/postgres.js';
export * from './redis/redis.js';
