import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Favorite, PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor, type RawReply } from '#request-queue';
import { FavoriteQueries } from './favorite.queries.js';
import { FavoriteService } from './favorite.service.js';

const Handles = handlerFor('social');
type Request<Name extends keyof Services['social']> = PayloadOf<Services['social'], Name>;

@Controller()
export class FavoriteController {
  constructor(
    private readonly favorites: FavoriteService,
    private readonly queries: FavoriteQueries,
  ) {}

  @Handles('favorites.of-product')
  ofProduct(@Payload() request: Request<'favorites.of-product'>): Promise<RawReply> {
    return this.queries.ofProduct(request);
  }

  @Handles('favorites.of-user')
  ofUser(@Payload() request: Request<'favorites.of-user'>): Promise<RawReply> {
    return this.queries.ofUser(request);
  }

  @Handles('favorites.stamps')
  stamps(@Payload() request: Request<'favorites.stamps'>): Promise<ReplyOf<Services['social'], 'favorites.stamps'>> {
    return this.queries.stamps(request);
  }

  @Handles('favorites.own')
  own(@Payload() request: Request<'favorites.own'>): Promise<ReplyOf<Services['social'], 'favorites.own'>> {
    return this.queries.own(request);
  }

  @Handles('favorites.create')
  create(@Payload() request: Request<'favorites.create'>): Promise<RawReply> {
    return this.favorites.create(request);
  }

  @Handles('favorites.delete')
  delete(@Payload() request: Request<'favorites.delete'>): Promise<Favorite> {
    return this.favorites.delete(request);
  }
}
