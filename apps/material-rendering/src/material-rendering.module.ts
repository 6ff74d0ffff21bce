import { type DynamicModule, Module } from '@nestjs/common';
import { projectPath } from '#config';
import { EventsModule, on } from '#events';
import type { Log } from '#observability';
import { Database, PersistenceModule } from '#persistence';
import { QueueClientModule, QueueClients } from '#request-queue';
import { BlobStore, openBlobStore } from '#storage';
import type { Env } from './env.js';
import { DrawingClaims } from './pictures/drawing-claims.js';
import { DrawnFrom } from './pictures/drawn-from.js';
import { DrawnImageRepository } from './pictures/drawn-image.repository.js';
import { DrawnImageSweep } from './pictures/drawn-image-sweep.js';
import { PictureConsumer } from './pictures/picture.consumer.js';
import { PictureController } from './pictures/picture.controller.js';
import { PictureDrawer } from './pictures/picture.drawer.js';
import { PictureQueries } from './pictures/picture.queries.js';
import { PictureService } from './pictures/picture.service.js';
import { StoredImages } from './pictures/stored-images.js';
import { PictureEngine } from './pipeline/picture-engine.js';
import { PurgeClient } from './purges/purge.client.js';
import { PurgeConsumer } from './purges/purge.consumer.js';
import { renderingMetrics } from './rendering-metrics.js';
import { TextController } from './texts/text.controller.js';
import { TextService } from './texts/text.service.js';
import { TextWriter } from './texts/text.writer.js';
import { TextureDecoder } from './textures/decoder.js';
import { DiscardedBlobs } from './textures/discarded-blobs.js';
import { StoredTextures } from './textures/stored-textures.js';
import { TextureConsumer } from './textures/texture.consumer.js';
import { TextureController } from './textures/texture.controller.js';
import { TextureEntity } from './textures/texture.entity.js';
import { TextureFetcher } from './textures/texture.fetcher.js';
import { TextureRepository } from './textures/texture.repository.js';
import { TextureService } from './textures/texture.service.js';
import { TextureReferenceRepository } from './textures/texture-reference.repository.js';
import { TextureStore } from './textures/texture-store.js';
import { TextureSweep } from './textures/texture-sweep.js';
import { UploadSweep } from './textures/upload-sweep.js';

const service = 'material-rendering';
const decodeTimeoutMs = 8_000;

/**
 * Takes textures in, draws texts and pictures. Publishes `material.rendered` and `images.withdrawn`; consumes `material.created`,
 * `material.updated`, `material.deleted`, `user.materials-deleted` and `images.withdrawn`.
 */
@Module({})
export class MaterialRenderingModule {
  /** @param lockMs after which silence a worker's events go to another one; tests do not wait for 12 s */
  static with(env: Env, log: Log, lockMs?: number): DynamicModule {
    const workers = env.RENDERING_ROLES.has('workers');
    return {
      module: MaterialRenderingModule,
      imports: [
        PersistenceModule.forService({
          service,
          url: env.DATABASE_URL,
          poolSize: env.DATABASE_POOL_SIZE,
          entities: [TextureEntity],
        }),
        QueueClientModule.forApp({
          app: 'material-rendering',
          redisUrl: env.REDIS_REQUESTS_URL,
          services: ['catalog'],
        }),
        EventsModule.forService({
          service,
          databaseUrl: env.DATABASE_URL,
          jobsUrl: env.REDIS_JOBS_URL,
          requestsUrl: env.REDIS_REQUESTS_URL,
          log,
          consume: workers,
          concurrency: env.RENDER_CONCURRENCY,
          drainMs: env.DRAIN_MS,
          ...(lockMs !== undefined && { lockMs }),
          consumers: {
            'material.created': on(PictureConsumer, 'materialCreated'),
            'material.updated': on(PictureConsumer, 'materialUpdated'),
            'material.deleted': on(PictureConsumer, 'materialDeleted'),
            'user.materials-deleted': on(TextureConsumer, 'userMaterialsDeleted'),
            'images.withdrawn': on(PurgeConsumer, 'imagesWithdrawn'),
          },
        }),
      ],
      controllers: [TextureController, TextController, PictureController],
      providers: [
        { provide: BlobStore, useFactory: () => openBlobStore(env.BLOB_STORE_URL, env) },
        ...textures(env, log),
        ...texts(env, log),
        ...pictures(env, log),
        { provide: PurgeConsumer, useFactory: () => new PurgeConsumer(purgeClient(env)) },
      ],
    };
  }
}

/** Null without a purge hook. */
const purgeClient = ({ IMAGE_PURGE_URL: url, IMAGE_PURGE_SECRET: secret }: Env): PurgeClient | null =>
  url === undefined ? null : new PurgeClient(url, secret);

const textures = (env: Env, log: Log) => [
  TextureRepository,
  TextureReferenceRepository,
  TextureConsumer,
  {
    provide: DiscardedBlobs,
    useFactory: (database: Database, blobs: BlobStore) => new DiscardedBlobs(database, blobs),
    inject: [Database, BlobStore],
  },
  {
    provide: TextureStore,
    useFactory: (repository: TextureRepository, discarded: DiscardedBlobs) =>
      new TextureStore(repository, discarded, env.TEXTURE_QUOTA_MB * 1024 * 1024),
    inject: [TextureRepository, DiscardedBlobs],
  },
  {
    provide: TextureSweep,
    useFactory: (references: TextureReferenceRepository, discarded: DiscardedBlobs, clients: QueueClients) => {
      const sweep = new TextureSweep(references, discarded, clients, log);
      if (env.RENDERING_ROLES.has('workers')) sweep.start();
      return sweep;
    },
    inject: [TextureReferenceRepository, DiscardedBlobs, QueueClients],
  },
  {
    provide: TextureDecoder,
    useFactory: () => {
      const decoder = new TextureDecoder({ timeoutMs: decodeTimeoutMs, sandbox: env.SANDBOX_FOLDER, log });
      if (env.RENDERING_ROLES.has('requests')) decoder.warm();
      return decoder;
    },
  },
  {
    provide: TextureService,
    useFactory: (decoder: TextureDecoder, blobs: BlobStore, repository: TextureRepository, store: TextureStore) => {
      const { TEXTURE_ALLOWED_HOSTS: allowedHosts, TEXTURE_FETCH_TIMEOUT_MS: timeoutMs } = env;
      return new TextureService(new TextureFetcher({ allowedHosts, timeoutMs }), decoder, blobs, repository, store);
    },
    inject: [TextureDecoder, BlobStore, TextureRepository, TextureStore],
  },
  {
    provide: UploadSweep,
    useFactory: (blobs: BlobStore) => {
      const sweep = new UploadSweep(blobs, log);
      if (env.RENDERING_ROLES.has('workers')) sweep.start();
      return sweep;
    },
    inject: [BlobStore],
  },
];

const texts = (env: Env, log: Log) => [
  { provide: TextWriter, useFactory: () => new TextWriter({ sandbox: env.SANDBOX_FOLDER, log }) },
  {
    provide: TextService,
    useFactory: (writer: TextWriter, blobs: BlobStore, store: TextureStore) => new TextService(writer, blobs, store),
    inject: [TextWriter, BlobStore, TextureStore],
  },
];

const pictures = (env: Env, log: Log) => [
  PictureQueries,
  PictureConsumer,
  DrawnImageRepository,
  { provide: DrawnFrom, useFactory: (blobs: BlobStore) => new DrawnFrom(blobs), inject: [BlobStore] },
  {
    provide: DrawnImageSweep,
    useFactory: (repository: DrawnImageRepository, blobs: BlobStore) => {
      const sweep = new DrawnImageSweep(repository, blobs, log, env.DRAWN_IMAGES_MB * 1024 * 1024);
      if (env.RENDERING_ROLES.has('workers')) sweep.start();
      return sweep;
    },
    inject: [DrawnImageRepository, BlobStore],
  },
  {
    provide: StoredImages,
    useFactory: (blobs: BlobStore, drawn: DrawnImageRepository) => new StoredImages(blobs, drawn),
    inject: [BlobStore, DrawnImageRepository],
  },
  { provide: DrawingClaims, useFactory: () => new DrawingClaims(env.REDIS_REQUESTS_URL, log) },
  {
    provide: PictureDrawer,
    useFactory: (
      claims: DrawingClaims,
      decoder: TextureDecoder,
      blobs: BlobStore,
      repository: TextureRepository,
      images: StoredImages,
    ) => {
      const engine = new PictureEngine({ layersFolder: projectPath('apps/material-rendering/layers') });
      showCaches(engine);
      return new PictureDrawer(engine, new StoredTextures(decoder, blobs, repository), images, claims);
    },
    inject: [DrawingClaims, TextureDecoder, BlobStore, TextureRepository, StoredImages],
  },
  {
    provide: PictureService,
    useFactory: (drawer: PictureDrawer, images: StoredImages, queries: PictureQueries) =>
      new PictureService(drawer, images, queries, env.PICTURE_SIZES),
    inject: [PictureDrawer, StoredImages, PictureQueries],
  },
];

/** For as long as the process lives, as the engine does. */
function showCaches({ caches }: PictureEngine): void {
  const { cacheLooks, cacheBytes } = renderingMetrics();
  for (const [cache, kept] of Object.entries(caches)) {
    cacheLooks.watch({ cache, outcome: 'hit' }, () => kept.hits);
    cacheLooks.watch({ cache, outcome: 'miss' }, () => kept.misses);
    cacheBytes.watch({ cache }, () => kept.bytes);
  }
}
