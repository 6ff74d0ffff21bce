import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { idText } from '#contracts';
import { QueueClients } from '#request-queue';
import { noRoute } from '../../edge/routing/no-route.js';
import { Public } from '../../edge/routing/operation.decorator.js';
import { GatewayEnv } from '../../env.js';
import { PageRenderer } from '../pages/page-renderer.js';

const SitemapNumber = idText.pipe(z.int().max(1_000_000_000));

/**
 * Sitemaps (https://www.sitemaps.org) of the public products and their creators, below an index.
 * All are at the root, because a sitemap may list only addresses below its own folder.
 */
@Controller()
export class SitemapController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly env: GatewayEnv,
  ) {}

  @Public()
  @Get('sitemap.xml')
  async index(@Res() reply: FastifyReply): Promise<void> {
    const { sitemaps } = await this.clients.of('catalog').call('sitemaps.list', {});
    const data = { sitemaps: sitemaps.map((number) => `${this.env.BASE_URL}/sitemap-${number}.xml`) };
    this.pages.sendXml(reply, 'application/xml', 'feeds/sitemap-index', data);
  }

  @Public()
  @Get('sitemap-:number.xml')
  async show(
    @Param('number') number: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const sitemap = SitemapNumber.safeParse(number);
    if (!sitemap.success) throw noRoute(request);
    const { creators, products } = await this.clients.of('catalog').call('sitemaps.get', { sitemap: sitemap.data });
    if (products.length === 0) throw noRoute(request);
    const base = this.env.BASE_URL;
    const data = {
      creators: creators.map((creator) => `${base}/${creator}`),
      products: products.map(({ userName, materialId, itemName, variant, updatedAt }) => ({
        url: `${base}/${userName}/${materialId}/${itemName}/${variant.size}/${variant.color}`,
        updatedAt,
      })),
    };
    this.pages.sendXml(reply, 'application/xml', 'feeds/sitemap', data);
  }
}
