export * from './idempotency-keys.js';
export * from './idempotency-tables.js';
