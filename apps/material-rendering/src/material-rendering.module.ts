import { type DynamicModule, Module } from '@nestjs/common';
import { projectPath } from '#config';
import { EventsModule, on } from '#events';
import type { Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { QueueClientModule } from '#request-queue';
import { BlobStore, openBlobStore } from '#storage';
import type { Env } from './env.js';
import { AdjustedSweep } from './pictures/adjusted-sweep.js';
import { DrawingClaims } from './pictures/drawing-claims.js';
import { DrawnFrom } from './pictures/drawn-from.js';
import { PictureConsumer } from './pictures/picture.consumer.js';
import { PictureController } from './pictures/picture.controller.js';
import { PictureDrawer } from './pictures/picture.drawer.js';
import { PictureQueries } from './pictures/picture.queries.js';
import { PictureService } from './pictures/picture.service.js';
import { PictureEngine } from './pipeline/picture-engine.js';
import { renderingMetrics } from './rendering-metrics.js';
import { TextController } from './texts/text.controller.js';
import { TextService } from './texts/text.service.js';
import { TextWriter } from './texts/text.writer.js';
import { TextureDecoder } from './textures/decoder.js';
import { StoredTextures } from './textures/stored-textures.js';
import { TextureController } from './textures/texture.controller.js';
import { TextureEntity } from './textures/texture.entity.js';
import { TextureFetcher } from './textures/texture.fetcher.js';
import { TextureRepository } from './textures/texture.repository.js';
import { TextureService } from './textures/texture.service.js';
import { UploadSweep } from './textures/upload-sweep.js';

const service = 'material-rendering';
const decodeTimeoutMs = 8_000;

/**
 * Takes textures in, draws texts and pictures. Says `material.rendered`; listens to `material.created`,
 * `material.updated` and `material.deleted`.
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
        QueueClientModule.forApp({ redisUrl: env.REDIS_REQUESTS_URL, services: ['catalog'] }),
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
          },
        }),
      ],
      controllers: [TextureController, TextController, PictureController],
      providers: [
        { provide: BlobStore, useFactory: () => openBlobStore(env.BLOB_STORE_URL, env) },
        ...textures(env, log),
        ...texts,
        ...pictures(env, log),
      ],
    };
  }
}

const textures = (env: Env, log: Log) => [
  TextureRepository,
  {
    provide: TextureDecoder,
    useFactory: () => {
      const decoder = new TextureDecoder({ timeoutMs: decodeTimeoutMs });
      if (env.RENDERING_ROLES.has('requests')) decoder.warm();
      return decoder;
    },
  },
  {
    provide: TextureService,
    useFactory: (decoder: TextureDecoder, blobs: BlobStore, repository: TextureRepository) => {
      const { TEXTURE_ALLOWED_HOSTS: allowedHosts, TEXTURE_FETCH_TIMEOUT_MS: timeoutMs } = env;
      return new TextureService(new TextureFetcher({ allowedHosts, timeoutMs }), decoder, blobs, repository);
    },
    inject: [TextureDecoder, BlobStore, TextureRepository],
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

const texts = [
  TextWriter,
  {
    provide: TextService,
    useFactory: (writer: TextWriter, blobs: BlobStore, repository: TextureRepository) =>
      new TextService(writer, blobs, repository),
    inject: [TextWriter, BlobStore, TextureRepository],
  },
];

const pictures = (env: Env, log: Log) => [
  PictureQueries,
  PictureConsumer,
  { provide: DrawnFrom, useFactory: (blobs: BlobStore) => new DrawnFrom(blobs), inject: [BlobStore] },
  {
    provide: AdjustedSweep,
    useFactory: (blobs: BlobStore) => {
      const sweep = new AdjustedSweep(blobs, log);
      if (env.RENDERING_ROLES.has('workers')) sweep.start();
      return sweep;
    },
    inject: [BlobStore],
  },
  { provide: DrawingClaims, useFactory: () => new DrawingClaims(env.REDIS_REQUESTS_URL, log) },
  {
    provide: PictureDrawer,
    useFactory: (claims: DrawingClaims, decoder: TextureDecoder, blobs: BlobStore, repository: TextureRepository) => {
      const engine = new PictureEngine({ layersFolder: projectPath('apps/material-rendering/layers') });
      showCaches(engine);
      return new PictureDrawer(engine, new StoredTextures(decoder, blobs, repository), blobs, claims);
    },
    inject: [DrawingClaims, TextureDecoder, BlobStore, TextureRepository],
  },
  {
    provide: PictureService,
    useFactory: (drawer: PictureDrawer, blobs: BlobStore, queries: PictureQueries) =>
      new PictureService(drawer, blobs, queries, env.PICTURE_SIZES),
    inject: [PictureDrawer, BlobStore, PictureQueries],
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
