import { Module } from '@nestjs/common';
import { IconController } from './icon.controller.js';
import { ImageController } from './image.controller.js';
import { ImageUseBatcher } from './image-use.batcher.js';
import { ExternalImageController } from './external-image.controller.js';

/** Images of products, materials and profiles, and icons of items. */
@Module({ controllers: [IconController, ImageController, ExternalImageController], providers: [ImageUseBatcher] })
export class ImagesModule {}
