export * from './change-mark.js';
export * from './constraints.js';
export * from './database.js';
export * from './departed-users.js';
export * from './paging.js';
export * from './persistence.module.js';
export { poolMetrics } from './pool-metrics.js';
export * from './published-users.js';
export * from './schemas.js';
