import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { PictureService } from './picture.service.js';

const Handles = handlerFor('material-rendering');

@Controller()
export class PictureController {
  constructor(@Inject(PictureService) private readonly pictures: PictureService) {}

  @Handles('pictures.render')
  render(@Payload() request: PayloadOf<Services['material-rendering'], 'pictures.render'>): Promise<{ key: string }> {
    return this.pictures.render(request);
  }
}
