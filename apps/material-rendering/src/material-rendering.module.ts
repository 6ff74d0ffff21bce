import { type DynamicModule, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { blanksFolder } from '#blanks';
import { projectPath } from '#config';
import { EventsModule, on } from '#events';
import { Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { QueueClientModule } from '#request-queue';
import { BlobStore, openBlobStore } from '#storage';
import { RenderingEnv } from './env.js';
import { RenderLock } from './images/render.lock.js';
import { RenderSourceStore } from './images/render-source.store.js';
import { RenderedImageRepository } from './images/rendered-image.repository.js';
import { RenderedImageSweeper } from './images/rendered-image.sweeper.js';
import { ImageConsumer } from './images/image.consumer.js';
import { ImageController } from './images/image.controller.js';
import { ImageRenderer } from './images/image.renderer.js';
import { ImageSourceCache } from './images/image-source.cache.js';
import { ImageService } from './images/image.service.js';
import { ItemBlobSweeper } from './images/item-blob.sweeper.js';
import { ImageStore } from './images/image.store.js';
import { LayerStore } from './images/layer.store.js';
import { WearingImageService } from './images/wearing-image.service.js';
import { cmykProfileIn } from '#rendering/print/profiles.js';
import { RenderEngine } from '#rendering/render-engine.js';
import { ExternalImageController } from './external-images/external-image.controller.js';
import { ExternalImageService } from './external-images/external-image.service.js';
import { PreflightController } from './preflight/preflight.controller.js';
import { PreflightService } from './preflight/preflight.service.js';
import { PreviewController } from './previews/preview.controller.js';
import { PreviewService } from './previews/preview.service.js';
import { PreviewSweeper } from './previews/preview.sweeper.js';
import { PrintFileConsumer } from './print-files/print-file.consumer.js';
import { PrintFileController } from './print-files/print-file.controller.js';
import { PrintFileRenderer } from './print-files/print-file.renderer.js';
import { PrintFileRepository } from './print-files/print-file.repository.js';
import { PrintFileStore } from './print-files/print-file.store.js';
import { PrintFileSweeper } from './print-files/print-file.sweeper.js';
import { ProductionConsumer } from './productions/production.consumer.js';
import { ProductionController } from './productions/production.controller.js';
import { ProductionQueries } from './productions/production.queries.js';
import { ProductionRepository } from './productions/production.repository.js';
import { ProductionStore } from './productions/production.store.js';
import { PurgeClient } from './purges/purge.client.js';
import { PurgeConsumer } from './purges/purge.consumer.js';
import { TextController } from './texts/text.controller.js';
import { TextService } from './texts/text.service.js';
import { TextRenderer } from './texts/text.renderer.js';
import { TextureDecoder } from './textures/texture.decoder.js';
import { DiscardedBlobRepository } from './textures/discarded-blob.repository.js';
import { PrintTextureStore } from './textures/print-texture.store.js';
import { TextureConsumer } from './textures/texture.consumer.js';
import { TextureController } from './textures/texture.controller.js';
import { TextureEntity } from './textures/texture.entity.js';
import { TextureFetcher } from './textures/texture.fetcher.js';
import { TextureRepository } from './textures/texture.repository.js';
import { TextureService } from './textures/texture.service.js';
import { TextureReferenceRepository } from './textures/texture-reference.repository.js';
import { TextureStore } from './textures/texture.store.js';
import { TextureSweeper } from './textures/texture.sweeper.js';
import { UploadSweeper } from './textures/upload.sweeper.js';

const service = 'material-rendering';
const decodeTimeoutMs = 8_000;

/**
 * Stores textures and external images, and renders texts, images, previews and print files, which
 * it stores for printers. Publishes `material.rendered`, `images.withdrawn`,
 * `print-files.requested` and `production.files-made`. Consumes these but the first,
 * `material.created`, `material.updated`, `material.deleted`, `images.outdated`,
 * `user.materials-deleted` and `production.requested`.
 */
@Module({
  controllers: [
    TextureController,
    TextController,
    ImageController,
    PreflightController,
    PreviewController,
    PrintFileController,
    ProductionController,
    ExternalImageController,
  ],
  providers: [
    TextureRepository,
    TextureReferenceRepository,
    TextureConsumer,
    TextureService,
    TextureStore,
    TextureSweeper,
    PrintTextureStore,
    DiscardedBlobRepository,
    UploadSweeper,
    TextService,
    ImageConsumer,
    ImageRenderer,
    ImageSourceCache,
    ImageService,
    WearingImageService,
    RenderLock,
    RenderSourceStore,
    RenderedImageRepository,
    RenderedImageSweeper,
    ImageStore,
    ItemBlobSweeper,
    PreflightService,
    PreviewService,
    PreviewSweeper,
    ExternalImageService,
    PurgeClient,
    PurgeConsumer,
    PrintFileConsumer,
    PrintFileRenderer,
    PrintFileRepository,
    PrintFileStore,
    PrintFileSweeper,
    ProductionConsumer,
    ProductionQueries,
    ProductionRepository,
    ProductionStore,
  ],
})
export class MaterialRenderingModule implements OnApplicationBootstrap {
  constructor(
    private readonly env: RenderingEnv,
    private readonly decoder: TextureDecoder,
    private readonly textureSweep: TextureSweeper,
    private readonly uploadSweep: UploadSweeper,
    private readonly itemBlobSweep: ItemBlobSweeper,
    private readonly renderedImageSweep: RenderedImageSweeper,
    private readonly previewSweep: PreviewSweeper,
    private readonly printFileSweep: PrintFileSweeper,
  ) {}

  onApplicationBootstrap(): void {
    const { RENDERING_ROLES: roles } = this.env;
    if (roles.has('requests')) this.decoder.warm();
    if (roles.has('workers'))
      for (const sweep of [
        this.textureSweep,
        this.uploadSweep,
        this.itemBlobSweep,
        this.renderedImageSweep,
        this.previewSweep,
        this.printFileSweep,
      ])
        sweep.start();
  }

  /**
   * @param lockMs time without a renewal after which another worker takes over an event; tests
   *   shorten the default of 12 s
   */
  static with(env: RenderingEnv, log: Log, lockMs?: number): DynamicModule {
    const { RENDERING_ROLES: roles, SANDBOX_FOLDER: sandbox } = env;
    const { TEXTURE_ALLOWED_HOSTS: allowedHosts, TEXTURE_FETCH_TIMEOUT_MS: timeoutMs } = env;
    const blobs = openBlobStore(env.BLOB_STORE_URL, env);
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
            'material.created': on(ImageConsumer, 'materialCreated'),
            'material.updated': on(ImageConsumer, 'materialUpdated'),
            'images.outdated': on(ImageConsumer, 'imagesOutdated'),
            'material.deleted': on(ImageConsumer, 'materialDeleted'),
            'print-files.requested': on(PrintFileConsumer, 'printFilesRequested'),
            'production.requested': on(ProductionConsumer, 'productionRequested'),
            'production.files-made': on(ProductionConsumer, 'filesMade'),
            'user.materials-deleted': on(TextureConsumer, 'userMaterialsDeleted'),
            'images.withdrawn': on(PurgeConsumer, 'imagesWithdrawn'),
          },
        }),
      ],
      providers: [
        { provide: RenderingEnv, useValue: env },
        { provide: Log, useValue: log },
        { provide: BlobStore, useValue: blobs },
        { provide: TextureFetcher, useValue: new TextureFetcher({ allowedHosts, timeoutMs }) },
        { provide: TextureDecoder, useValue: new TextureDecoder({ timeoutMs: decodeTimeoutMs, sandbox, log }) },
        { provide: TextRenderer, useValue: new TextRenderer({ sandbox, log }) },
        { provide: RenderEngine, useValue: renderEngine(new LayerStore(blobs)) },
      ],
    };
  }
}

const renderEngine = (layers: LayerStore): RenderEngine =>
  new RenderEngine({
    blanksFolder,
    packedLayers: (hash, itemName) => layers.layersOf(hash, itemName),
    cmykProfile: cmykProfileIn(projectPath('libs/rendering/profiles')),
  });
