export * from './failure.js';
export * from './free-port.js';
export * from './postgres.js';
export * from './redis.js';
