import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { idText, type ItemNames, nameText, type ProductDetail } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { Log } from '#observability';
import { noRoute } from '../../edge/routing/no-route.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { redirectPermanently } from '../pages/permanent-redirect.js';
import { type Favorites, ProductView } from './product.view.js';
import { shopTexts } from './shop.texts.js';
import { ShopSite } from './shop.view.js';

const ofProduct = { user: nameText, material: idText, item: nameText };
const ProductAddress = z.object(ofProduct);
const VariantAddress = z.object({ ...ofProduct, size: nameText, color: nameText });
/** The template of the API, `{size}/{color}`, as somebody has opened it. */
const unfilled = ['{size}', '{color}'];

/** How many other products of the same material are shown. */
const othersLimit = 6;

/** What the addresses `url` and `sampleUrl` of a product open. */
@Controller()
export class ProductPageController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly site: ShopSite,
    private readonly log: Log,
  ) {}

  @Page()
  @Get(':user/:material/:item')
  async lead(
    @CurrentPage() visit: PageContext,
    @Param() parameters: Readonly<Record<string, string>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const address = ProductAddress.safeParse(parameters);
    if (!address.success) throw noRoute(request);
    const product = await this.find(visit, address.data);
    this.pages.seeOther(reply, this.site.below(product.sampleUrl));
  }

  @Page()
  @Get(':user/:material/:item/:size/:color')
  async show(
    @CurrentPage() visit: PageContext,
    @Param() parameters: Readonly<Record<string, string>>,
    @Query('angle') angle: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (unfilled.some((part) => Object.values(parameters).includes(part)))
      return this.lead(visit, parameters, request, reply);
    const address = VariantAddress.safeParse(parameters);
    if (!address.success) throw noRoute(request);
    const { size, color, ...of } = address.data;
    const [product, names] = await Promise.all([
      this.find(visit, of, { size, color }),
      this.clients.of('catalog').call('items.names', { language: visit.language }),
    ]);
    if (product.material.user.name !== of.user) {
      redirectPermanently(reply, request, this.site.path(product.sampleUrl));
      return;
    }
    await this.write(reply, visit, new ProductView(this.site, product, names, visit.language, angle));
  }

  private async write(reply: FastifyReply, visit: PageContext, view: ProductView): Promise<void> {
    const { product, names } = view;
    const [favorites, others] = await Promise.all([this.favorites(product), this.others(visit, product, names)]);
    this.pages.show(reply, visit, {
      view: 'shop/product',
      texts: shopTexts,
      head: '/shop/product-head',
      storable: true,
      title: (words) => `${view.title} ${words.by(view.creator)}`,
      data: { ...view.data(shopTexts[visit.language], favorites), others },
    });
  }

  private async find(
    visit: PageContext,
    { user, material, item }: z.output<typeof ProductAddress>,
    variant?: { size: string; color: string },
  ): Promise<ProductDetail> {
    const viewerId = visit.user?.id ?? 0;
    const request = { viewerId, userName: user, materialId: material, itemName: item, variant };
    return (await this.clients.of('catalog').call('products.find', request)).product;
  }

  /** They are an ornament: while nobody can say them, null, and the page does without. */
  private async favorites({ id: productId }: ProductDetail): Promise<Favorites | null> {
    try {
      return await this.clients.of('social').call('favorites.stamps', { productId });
    } catch (error) {
      if (!(error instanceof DomainError) || error.status < 500) throw error;
      this.log.debug({ err: error, productId }, 'a product is shown without its favorites');
      return null;
    }
  }

  private async others(visit: PageContext, { id, material }: ProductDetail, names: ItemNames) {
    const { products } = await this.clients.of('catalog').call('products.list', {
      viewerId: visit.user?.id ?? 0,
      materialId: material.id,
      limit: othersLimit + 1,
      offset: 0,
    });
    const others = products.filter((it) => it.id !== id).slice(0, othersLimit);
    return others.map((product) => this.site.card(product, names, visit.language));
  }
}
