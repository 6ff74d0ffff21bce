export * from './folder-blob-store.js';
