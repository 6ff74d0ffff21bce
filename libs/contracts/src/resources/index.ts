export * from './activity.js';
export * from './choice.js';
export * from './favorite.js';
export * from './item.js';
export * from './material.js';
export * from './product.js';
export * from './storefront.js';
export * from './user.js';
