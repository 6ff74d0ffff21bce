import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor, RawReply } from '#request-queue';
import { FavoriteService } from './favorite.service.js';

const Handles = handlerFor('social');

@Controller()
export class FavoriteController {
  constructor(private readonly favorites: FavoriteService) {}

  @Handles('favorites.create')
  async create(@Payload() request: PayloadOf<Services['social'], 'favorites.create'>): Promise<RawReply> {
    return RawReply.json(JSON.stringify(await this.favorites.create(request)), { status: 201 });
  }
}
