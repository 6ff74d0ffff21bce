import { Module } from '@nestjs/common';
import { IconController } from './icon.controller.js';
import { ImageController } from './image.controller.js';
import { ImageUseBatcher } from './image-use.batcher.js';

/** Images of products and materials, and icons of items. */
@Module({ controllers: [IconController, ImageController], providers: [ImageUseBatcher] })
export class ImagesModule {}
