import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Choice, idText, type ItemNames, nameText, type ProductDetail } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { Log } from '#observability';
import { noRoute } from '../../edge/routing/no-route.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { redirectPermanently } from '../pages/permanent-redirect.js';
import { type Favorites, type FoundProduct, ProductView } from './product.view.js';
import { shopTexts } from './shop.texts.js';
import { ProductCards } from './product-cards.view.js';
import { ShopView } from './shop.view.js';

const productFields = { user: nameText, material: idText, item: nameText };
const ProductAddress = z.object(productFields);
const VariantAddress = z.object({ ...productFields, size: nameText, color: nameText });
/** Placeholders of `url`, the URL template of the API, for a client that has opened it as it is. */
const placeholders = ['{size}', '{color}'];

/** Maximum number of other products of the same material. */
const othersLimit = 6;

/** The newest lists of the signed-in user. */
interface Lists {
  readonly lists: readonly Choice[];
  readonly hasMoreLists: boolean;
}
const noLists: Lists = { lists: [], hasMoreLists: false };

/** Product pages: the targets of `url` and `sampleUrl` of a product. */
@Controller()
export class ProductPageController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly productCards: ProductCards,
    private readonly log: Log,
  ) {}

  @Page()
  @Get(':user/:material/:item')
  async redirectToSample(
    @CurrentPage() context: PageContext,
    @Param() parameters: Readonly<Record<string, string>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const address = ProductAddress.safeParse(parameters);
    if (!address.success) throw noRoute(request);
    const { product } = await this.find(context, address.data);
    this.pages.seeOther(reply, this.shopView.relativePath(product.sampleUrl));
  }

  @Page()
  @Get(':user/:material/:item/:size/:color')
  async show(
    @CurrentPage() context: PageContext,
    @Param() parameters: Readonly<Record<string, string>>,
    @Query('angle') angle: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (placeholders.some((part) => Object.values(parameters).includes(part)))
      return this.redirectToSample(context, parameters, request, reply);
    const address = VariantAddress.safeParse(parameters);
    if (!address.success) throw noRoute(request);
    const { size, color, ...key } = address.data;
    const [found, names] = await Promise.all([
      this.find(context, key, { size, color }),
      this.clients.of('catalog').call('items.names', { language: context.language }),
    ]);
    const { material, sampleUrl } = found.product;
    if (material.user.name !== key.user) {
      redirectPermanently(reply, request, this.shopView.path(sampleUrl));
      return;
    }
    await this.render(reply, context, new ProductView(this.shopView, found, names, context.language, angle));
  }

  private async render(reply: FastifyReply, context: PageContext, view: ProductView): Promise<void> {
    const { product, names } = view;
    const [favorites, others, ownFavorites, lists] = await Promise.all([
      this.favorites(product),
      this.others(context, product, names),
      this.productCards.ownFavorites(context, [product]),
      this.listsOf(context),
    ]);
    this.pages.show(reply, context, {
      view: 'shop/product',
      texts: shopTexts,
      head: '/shop/product-head',
      storable: true,
      title: (words) => `${view.title} ${words.by(view.creator)}`,
      data: {
        ...view.data(shopTexts[context.language], favorites),
        others,
        ...lists,
        isFavorite: ownFavorites.has(product.id),
      },
    });
  }

  private async find(
    context: PageContext,
    { user, material, item }: z.output<typeof ProductAddress>,
    variant?: { size: string; color: string },
  ): Promise<FoundProduct> {
    const viewerId = context.user?.id ?? 0;
    const request = { viewerId, userName: user, materialId: material, itemName: item, variant };
    return this.clients.of('catalog').call('products.find', request);
  }

  /**
   * Returns null while the social service is unavailable; the page is then shown without favorites.
   */
  private async favorites({ id: productId }: ProductDetail): Promise<Favorites | null> {
    try {
      return await this.clients.of('social').call('favorites.stamps', { productId });
    } catch (error) {
      if (!(error instanceof DomainError) || error.status < 500) throw error;
      this.log.debug({ err: error, productId }, 'Favorites are unavailable, product page shown without them');
      return null;
    }
  }

  /**
   * Returns the newest lists of the signed-in user; none while the social service is unavailable.
   */
  private async listsOf({ user }: PageContext): Promise<Lists> {
    if (!user) return noLists;
    const page = { viewerId: user.id, userId: user.id, limit: 50, offset: 0 };
    try {
      const { choices, meta } = await this.clients.of('social').call('choices.list', page);
      return { lists: choices, hasMoreLists: meta.hasNext };
    } catch (error) {
      if (!(error instanceof DomainError) || error.status < 500) throw error;
      return noLists;
    }
  }

  private async others(context: PageContext, { id, material }: ProductDetail, names: ItemNames) {
    const { products } = await this.clients.of('catalog').call('products.list', {
      viewerId: context.user?.id ?? 0,
      materialId: material.id,
      limit: othersLimit + 1,
      offset: 0,
    });
    const others = products.filter((it) => it.id !== id).slice(0, othersLimit);
    return this.productCards.of(context, others, names);
  }
}
