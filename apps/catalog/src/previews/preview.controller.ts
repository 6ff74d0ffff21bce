import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { PreviewService } from './preview.service.js';

const Handles = handlerFor('catalog');

@Controller()
export class PreviewController {
  constructor(private readonly service: PreviewService) {}

  @Handles('previews.create')
  create(
    @Payload() request: PayloadOf<Services['catalog'], 'previews.create'>,
  ): Promise<ReplyOf<Services['catalog'], 'previews.create'>> {
    return this.service.create(request);
  }
}
