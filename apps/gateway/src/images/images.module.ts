import { Module } from '@nestjs/common';
import { IconController } from './icon.controller.js';
import { ImageController } from './image.controller.js';
import { ImageUseBatcher } from './image-use.batcher.js';
import { PreviewImageController } from './preview-image.controller.js';
import { PrintFileController } from './print-file.controller.js';
import { ExternalImageController } from './external-image.controller.js';
import { WearingImageController } from './wearing-image.controller.js';

/**
 * Images of products, previews and worn items, icons of items, and copies of external images of
 * users, choices and banners.
 */
@Module({
  controllers: [
    IconController,
    ImageController,
    PreviewImageController,
    ExternalImageController,
    PrintFileController,
    WearingImageController,
  ],
  providers: [ImageUseBatcher],
})
export class ImagesModule {}
