export * from './plan.js';
export * from './seed.js';
export * from './storefront.js';
export * from './upload.js';
