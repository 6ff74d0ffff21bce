import { Module } from '@nestjs/common';
import { forwardedOperations } from '#contracts';
import { FavoriteController } from './favorite.controller.js';
import { forwardingController } from './forwarding.controller.js';
import { MaterialController } from './material.controller.js';
import { TextureUploads } from './texture-upload.store.js';

/** The operations of the API: those that a service answers as they were parsed, and those for which there is more to do. */
@Module({
  controllers: [...forwardedOperations.map(forwardingController), FavoriteController, MaterialController],
  providers: [TextureUploads],
})
export class ApiModule {}
