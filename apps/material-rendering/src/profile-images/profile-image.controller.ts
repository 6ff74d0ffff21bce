import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { ProfileImageService } from './profile-image.service.js';

const Handles = handlerFor('material-rendering');

@Controller()
export class ProfileImageController {
  constructor(private readonly images: ProfileImageService) {}

  @Handles('profile-images.store')
  store(@Payload() image: PayloadOf<Services['material-rendering'], 'profile-images.store'>): Promise<{ key: string }> {
    return this.images.store(image);
  }
}
