import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { RenderedImageRepository } from './rendered-image.repository.js';
import { ImageService } from './image.service.js';
import { WearingImageService } from './wearing-image.service.js';

const Handles = handlerFor('material-rendering');

@Controller()
export class ImageController {
  constructor(
    private readonly images: ImageService,
    private readonly wearingImages: WearingImageService,
    private readonly rows: RenderedImageRepository,
  ) {}

  @Handles('images.render')
  render(@Payload() request: PayloadOf<Services['material-rendering'], 'images.render'>): Promise<{ key: string }> {
    return this.images.render(request);
  }

  @Handles('wearing-images.render')
  renderWorn(
    @Payload() request: PayloadOf<Services['material-rendering'], 'wearing-images.render'>,
  ): Promise<{ key: string }> {
    return this.wearingImages.render(request);
  }

  @Handles('images.used')
  async markUsed(@Payload() { keys }: PayloadOf<Services['material-rendering'], 'images.used'>): Promise<null> {
    await this.rows.markUsed(keys);
    return null;
  }
}
