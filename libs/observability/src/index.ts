export * from './internal-server.js';
export * from './lifecycle.js';
export * from './log.js';
export * from './metrics.js';
export * from './nest-log.js';
export { processEnding } from './process-ending.js';
export * from './process-metrics.js';
export * from './readiness.js';
