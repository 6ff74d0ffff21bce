export * from './blob-store.js';
export { FolderBlobStore } from './folder-blob-store.js';
export * from './given-blob-store.js';
export * from './open-blob-store.js';
export { S3BlobStore, s3Times } from './s3-blob-store.js';
