import { Injectable } from '@nestjs/common';
import { type LinkedBanner, type Promotion } from '#contracts';
import { Database } from '#persistence';
import { BannerEntity } from './banner.entity.js';
import { PromotionEntity } from './promotion.entity.js';
import { bannerNotFound, promotionNotFound } from './storefront.errors.js';

/**
 * Saves and deletes banners and promotions. Changes append no events, because no other service
 * depends on them.
 */
@Injectable()
export class StorefrontRepository {
  constructor(private readonly database: Database) {}

  async addBanner({
    displaySize,
    imageUrl,
    altText = null,
    linkUrl = null,
  }: Omit<LinkedBanner, 'id'>): Promise<LinkedBanner> {
    const banner = { displaySize, imageUrl, altText, linkUrl };
    const { identifiers } = await this.database.transaction((tx) => tx.insert(BannerEntity, { ...banner }));
    return { id: identifiers[0]!.id as number, ...banner };
  }

  /** @throws DomainError banner.not-found */
  async deleteBanner(id: number): Promise<void> {
    const { affected } = await this.database.transaction((tx) => tx.delete(BannerEntity, { id }));
    if (!affected) throw bannerNotFound(id);
  }

  async addPromotion({ name, category, url }: Omit<Promotion, 'id'>): Promise<Promotion> {
    const { identifiers } = await this.database.transaction((tx) =>
      tx.insert(PromotionEntity, { name, category, url }),
    );
    return { id: identifiers[0]!.id as number, name, category, url };
  }

  /** @throws DomainError promotion.not-found */
  async deletePromotion(id: number): Promise<void> {
    const { affected } = await this.database.transaction((tx) => tx.delete(PromotionEntity, { id }));
    if (!affected) throw promotionNotFound(id);
  }
}
