import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { SitemapQueries } from './sitemap.queries.js';

const Handles = handlerFor('catalog');
type Catalog = Services['catalog'];

@Controller()
export class SitemapController {
  constructor(private readonly queries: SitemapQueries) {}

  @Handles('sitemaps.list')
  list(): Promise<ReplyOf<Catalog, 'sitemaps.list'>> {
    return this.queries.list();
  }

  @Handles('sitemaps.get')
  get(@Payload() { sitemap }: PayloadOf<Catalog, 'sitemaps.get'>): Promise<ReplyOf<Catalog, 'sitemaps.get'>> {
    return this.queries.get(sitemap);
  }
}
