import { Module } from '@nestjs/common';
import { ActivityController } from './activity.controller.js';
import { ChoiceController } from './choice.controller.js';
import { FavoriteController } from './favorite.controller.js';
import { ItemController } from './item.controller.js';
import { MaterialController } from './material.controller.js';
import { ProductController } from './product.controller.js';
import { StorefrontController } from './storefront.controller.js';
import { TextureUploads } from './texture-uploads.js';
import { UserController } from './user.controller.js';

/** The operations of the API. */
@Module({
  controllers: [
    ActivityController,
    ChoiceController,
    FavoriteController,
    ItemController,
    MaterialController,
    ProductController,
    StorefrontController,
    UserController,
  ],
  providers: [TextureUploads],
})
export class ApiModule {}
