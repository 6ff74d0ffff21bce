export * from './database.js';
export * from './persistence.module.js';
export * from './schemas.js';
