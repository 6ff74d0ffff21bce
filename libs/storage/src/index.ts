export * from './blob-store.js';
export { FolderBlobStore } from './folder-blob-store.js';
export * from './blob-store-from-environment.js';
export * from './open-blob-store.js';
export { S3BlobStore } from './s3-blob-store.js';
