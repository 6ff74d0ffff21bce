import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, PreviewArtwork, PreviewImage, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { PreviewService } from './preview.service.js';

const Handles = handlerFor('material-rendering');

@Controller()
export class PreviewController {
  constructor(private readonly service: PreviewService) {}

  @Handles('previews.prepare')
  prepare(
    @Payload() { userId, source }: PayloadOf<Services['material-rendering'], 'previews.prepare'>,
  ): Promise<PreviewArtwork> {
    return this.service.prepare(userId, source);
  }

  @Handles('previews.render')
  render(@Payload() image: PreviewImage): Promise<{ key: string }> {
    return this.service.render(image);
  }
}
