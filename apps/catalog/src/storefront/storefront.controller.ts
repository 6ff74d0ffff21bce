import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type LinkedBanner, type PayloadOf, type Promotion, type ReplyOf, type Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { StorefrontQueries } from './storefront.queries.js';
import { StorefrontRepository } from './storefront.repository.js';

const Handles = handlerFor('catalog');
type Request<Name extends keyof Services['catalog']> = PayloadOf<Services['catalog'], Name>;
type Reply<Name extends keyof Services['catalog']> = ReplyOf<Services['catalog'], Name>;

@Controller()
export class StorefrontController {
  constructor(
    private readonly queries: StorefrontQueries,
    private readonly repository: StorefrontRepository,
  ) {}

  @Handles('banners.list')
  async banners(@Payload() request: Request<'banners.list'>): Promise<Reply<'banners.list'>> {
    return { banners: await this.queries.banners(request) };
  }

  @Handles('banners.create')
  createBanner(@Payload() request: Request<'banners.create'>): Promise<LinkedBanner> {
    return this.repository.addBanner(request);
  }

  @Handles('banners.delete')
  async deleteBanner(@Payload() { bannerId }: Request<'banners.delete'>): Promise<Reply<'banners.delete'>> {
    await this.repository.deleteBanner(bannerId);
    return { deleted: true };
  }

  @Handles('promotions.list')
  async promotions(): Promise<Reply<'promotions.list'>> {
    return { promotions: await this.queries.promotions() };
  }

  @Handles('promotions.create')
  createPromotion(@Payload() request: Request<'promotions.create'>): Promise<Promotion> {
    return this.repository.addPromotion(request);
  }

  @Handles('promotions.delete')
  async deletePromotion(@Payload() { promotionId }: Request<'promotions.delete'>): Promise<Reply<'promotions.delete'>> {
    await this.repository.deletePromotion(promotionId);
    return { deleted: true };
  }
}
