export * from './blob-store-settings.js';
export * from './environment.js';
export * from './project-root.js';
export * from './redis-tls.js';
export * from './shared-settings.js';
export * from './stack-address.js';
