import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { ExternalImageService } from './external-image.service.js';

const Handles = handlerFor('material-rendering');

@Controller()
export class ExternalImageController {
  constructor(private readonly images: ExternalImageService) {}

  @Handles('external-images.store')
  store(
    @Payload() image: PayloadOf<Services['material-rendering'], 'external-images.store'>,
  ): Promise<{ key: string }> {
    return this.images.store(image);
  }
}
