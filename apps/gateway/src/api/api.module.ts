import { Module } from '@nestjs/common';
import { forwardedOperations } from '#contracts';
import { EdgeModule } from '../edge/edge.module.js';
import { EventStreamBatcher } from './event-stream.batcher.js';
import { EventStreamController } from './event-stream.controller.js';
import { FavoriteController } from './favorite.controller.js';
import { forwardingController } from './forwarding.controller.js';
import { MaterialController } from './material.controller.js';
import { PreviewController } from './preview.controller.js';
import { TextureUploadStore } from './texture-upload.store.js';

/**
 * Controllers of the API: those that forward the parsed request to a service, those that process it
 * first, and the event stream.
 */
@Module({
  imports: [EdgeModule],
  controllers: [
    ...forwardedOperations.map(forwardingController),
    EventStreamController,
    FavoriteController,
    MaterialController,
    PreviewController,
  ],
  providers: [EventStreamBatcher, TextureUploadStore],
})
export class ApiModule {}
