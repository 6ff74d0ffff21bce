export * from './lifecycle.js';
export * from './log.js';
export * from './nest-log.js';
