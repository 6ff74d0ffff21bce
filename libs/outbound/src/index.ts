export * from './address-not-allowed.js';
export * from './guarded-connector.js';
export * from './outbound-url.js';
export * from './public-address.js';
