import { Module } from '@nestjs/common';
import { forwardedOperations } from '#contracts';
import { FavoriteController } from './favorite.controller.js';
import { forwardingController } from './forwarding.controller.js';
import { MaterialController } from './material.controller.js';
import { TextureUploadStore } from './texture-upload.store.js';

/**
 * Controllers of the API: those that forward the parsed request to a service, and those that
 * process it first.
 */
@Module({
  controllers: [...forwardedOperations.map(forwardingController), FavoriteController, MaterialController],
  providers: [TextureUploadStore],
})
export class ApiModule {}
