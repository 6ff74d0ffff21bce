import { type DynamicModule, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { projectPath } from '#config';
import { EventsModule, on } from '#events';
import { Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { QueueClientModule } from '#request-queue';
import { BlobStore, openBlobStore } from '#storage';
import { RenderingEnv } from './env.js';
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
@Module({
  controllers: [TextureController, TextController, PictureController],
  providers: [
    TextureRepository,
    TextureReferenceRepository,
    TextureConsumer,
    TextureService,
    TextureStore,
    TextureSweep,
    StoredTextures,
    DiscardedBlobs,
    UploadSweep,
    TextService,
    PictureConsumer,
    PictureDrawer,
    PictureQueries,
    PictureService,
    DrawingClaims,
    DrawnFrom,
    DrawnImageRepository,
    DrawnImageSweep,
    StoredImages,
    PurgeClient,
    PurgeConsumer,
  ],
})
export class MaterialRenderingModule implements OnApplicationBootstrap {
  constructor(
    private readonly env: RenderingEnv,
    private readonly decoder: TextureDecoder,
    private readonly textureSweep: TextureSweep,
    private readonly uploadSweep: UploadSweep,
    private readonly drawnImageSweep: DrawnImageSweep,
  ) {}

  onApplicationBootstrap(): void {
    const { RENDERING_ROLES: roles } = this.env;
    if (roles.has('requests')) this.decoder.warm();
    if (roles.has('workers'))
      for (const sweep of [this.textureSweep, this.uploadSweep, this.drawnImageSweep]) sweep.start();
  }

  /** @param lockMs after which silence a worker's events go to another one; tests do not wait for 12 s */
  static with(env: RenderingEnv, log: Log, lockMs?: number): DynamicModule {
    const { RENDERING_ROLES: roles, SANDBOX_FOLDER: sandbox } = env;
    const { TEXTURE_ALLOWED_HOSTS: allowedHosts, TEXTURE_FETCH_TIMEOUT_MS: timeoutMs } = env;
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
        }),
        EventsModule.forService({
          service,
          databaseUrl: env.DATABASE_URL,
          jobsUrl: env.REDIS_JOBS_URL,
          requestsUrl: env.REDIS_REQUESTS_URL,
          log,
          consume: roles.has('workers'),
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
      providers: [
        { provide: RenderingEnv, useValue: env },
        { provide: Log, useValue: log },
        { provide: BlobStore, useValue: openBlobStore(env.BLOB_STORE_URL, env) },
        { provide: TextureFetcher, useValue: new TextureFetcher({ allowedHosts, timeoutMs }) },
        { provide: TextureDecoder, useValue: new TextureDecoder({ timeoutMs: decodeTimeoutMs, sandbox, log }) },
        { provide: TextWriter, useValue: new TextWriter({ sandbox, log }) },
        { provide: PictureEngine, useValue: pictureEngine() },
      ],
    };
  }
}

function pictureEngine(): PictureEngine {
  const engine = new PictureEngine({ layersFolder: projectPath('apps/material-rendering/layers') });
  showCaches(engine);
  return engine;
}

/** For as long as the process lives, as the engine does. */
function showCaches({ caches }: PictureEngine): void {
  const { cacheLooks, cacheBytes } = renderingMetrics();
  for (const [cache, kept] of Object.entries(caches)) {
    cacheLooks.watch({ cache, outcome: 'hit' }, () => kept.hits);
    cacheLooks.watch({ cache, outcome: 'miss' }, () => kept.misses);
    cacheBytes.watch({ cache }, () => kept.bytes);
  }
}
