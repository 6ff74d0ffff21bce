import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services, Texture } from '#contracts';
import { handlerFor } from '#request-queue';
import { TextureService } from './texture.service.js';

const Handles = handlerFor('material-rendering');

@Controller()
export class TextureController {
  constructor(private readonly textures: TextureService) {}

  @Handles('textures.store')
  store(
    @Payload() { userId, sources }: PayloadOf<Services['material-rendering'], 'textures.store'>,
  ): Promise<Texture[]> {
    return this.textures.store(userId, sources);
  }
}
