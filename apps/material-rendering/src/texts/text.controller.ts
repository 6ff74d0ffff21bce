import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services, Texture } from '#contracts';
import { handlerFor } from '#request-queue';
import { TextService } from './text.service.js';

const Handles = handlerFor('material-rendering');

@Controller()
export class TextController {
  constructor(private readonly texts: TextService) {}

  @Handles('textures.render-text')
  renderText(@Payload() payload: PayloadOf<Services['material-rendering'], 'textures.render-text'>): Promise<Texture> {
    return this.texts.render(payload);
  }
}
