export * from './clock.js';
export * from './dates.js';
export * from './domain-error.js';
export * from './json-pieces.js';
export * from './loopback-url.js';
export * from './money.js';
export * from './search-terms.js';
