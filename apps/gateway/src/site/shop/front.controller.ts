import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LinkedBanner, type Product, type Promotion, text } from '#contracts';
import { QueueClients } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { queryOf } from '../../edge/bodies/form-body.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { BannerStore } from './banner.store.js';
import { demoAccountIfLocal } from './demo-account.view.js';
import { itemGroupsOf, itemNamed } from './item-group.view.js';
import { offsetOf, pageLimit, pagerOf, skipEmptyPage } from './pager.view.js';
import { type ShopWords, shopTexts } from './shop.texts.js';
import { ProductCards } from './product-cards.view.js';
import { ShopView } from './shop.view.js';

const SearchText = text(0, 100);
/** Number of products on sale on the front page: one row. */
const saleLimit = 4;

/** Content that only the first page of the front page shows. */
interface Highlights {
  readonly onSale: readonly Product[];
  readonly hasMoreOnSale: boolean;
  readonly promotions: readonly Promotion[];
  readonly banners: readonly LinkedBanner[];
}
const noHighlights: Highlights = { onSale: [], hasMoreOnSale: false, promotions: [], banners: [] };

/**
 * Front page with the newest product of each material, categories, products on sale, promotions and
 * banners; and the product search.
 */
@Controller()
export class FrontController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly productCards: ProductCards,
    private readonly banners: BannerStore,
    private readonly env: GatewayEnv,
  ) {}

  @Page()
  @Get()
  async front(
    @CurrentPage() context: PageContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const offset = offsetOf(request);
    const [{ products, meta }, names, { categories }, { onSale, hasMoreOnSale, promotions, banners }] =
      await Promise.all([
        this.catalog.call('products.newest', { limit: pageLimit, offset }),
        this.catalog.call('items.names', { language: context.language }),
        this.catalog.call('categories.list', {}),
        offset === 0 ? this.highlights(context) : noHighlights,
      ]);
    skipEmptyPage(request, offset, products);
    const cards = await this.productCards.of(context, [...onSale, ...products], names);
    const demoAccount = demoAccountIfLocal(this.env, request);
    this.pages.show(reply, context, {
      view: 'shop/front',
      texts: shopTexts,
      head: '/shop/front-head',
      // A stored page would reveal the demo account to the next user of the browser
      storable: !demoAccount,
      title: (words) => words.newest,
      data: {
        demoAccount,
        canonical: this.shopView.absolute(`${this.pages.base}/`),
        itemGroups: itemGroupsOf(categories, names, this.shopView),
        promotions: promotions.map(({ name, url }) => ({ name, path: this.shopView.path(url) })),
        banners: await this.banners.viewsOf(banners),
        hasMoreOnSale,
        saleCards: cards.slice(0, onSale.length),
        cards: cards.slice(onSale.length),
        pager: pagerOf(`${this.pages.base}/`, offset, meta.hasNext),
      },
    });
  }

  @Page()
  @Get('search')
  async search(
    @CurrentPage() context: PageContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const offset = offsetOf(request);
    const { given } = queryOf(request);
    if (given.sale !== undefined) {
      await this.showSale(reply, context, request, offset);
      return;
    }
    const q = (given.q ?? '').trim();
    if (!SearchText.safeParse(q).success) {
      this.showTooLong(reply, context, q);
      return;
    }
    const [{ categories }, names] = await Promise.all([
      this.catalog.call('categories.list', {}),
      this.catalog.call('items.names', { language: context.language }),
    ]);
    const itemGroups = itemGroupsOf(categories, names, this.shopView);
    const item = itemNamed(itemGroups, given.item ?? '');
    const { products, meta } = await this.catalog.call('products.search', {
      ...this.window(context),
      offset,
      q,
      itemId: item?.id,
    });
    skipEmptyPage(request, offset, products);
    const path = `${this.pages.base}/search?q=${encodeURIComponent(q)}`;
    this.pages.show(reply, context, {
      view: 'shop/search',
      texts: shopTexts,
      head: '/shop/no-index',
      storable: true,
      title: (words) => searchTitle(words, q, item?.label),
      data: {
        q,
        itemGroups,
        itemFilter: item?.name ?? '',
        count: countText(shopTexts[context.language], offset + products.length, meta.hasNext),
        cards: await this.productCards.of(context, products, names),
        pager: pagerOf(item ? `${path}&item=${encodeURIComponent(item.name)}` : path, offset, meta.hasNext),
      },
    });
  }

  /** Shows all products on sale, at the address `/search?sale=yes`. */
  private async showSale(
    reply: FastifyReply,
    context: PageContext,
    request: FastifyRequest,
    offset: number,
  ): Promise<void> {
    const [{ products, meta }, names, { categories }] = await Promise.all([
      this.catalog.call('products.on-sale', { ...this.window(context), offset }),
      this.catalog.call('items.names', { language: context.language }),
      this.catalog.call('categories.list', {}),
    ]);
    skipEmptyPage(request, offset, products);
    this.pages.show(reply, context, {
      view: 'shop/search',
      texts: shopTexts,
      head: '/shop/no-index',
      storable: true,
      title: (words) => words.onSale,
      data: {
        q: '',
        itemGroups: itemGroupsOf(categories, names, this.shopView),
        itemFilter: '',
        count: countText(shopTexts[context.language], offset + products.length, meta.hasNext),
        cards: await this.productCards.of(context, products, names),
        pager: pagerOf(`${this.pages.base}/search?sale=yes`, offset, meta.hasNext),
      },
    });
  }

  private async highlights(context: PageContext): Promise<Highlights> {
    const [{ products, meta }, { promotions }, { banners }] = await Promise.all([
      this.catalog.call('products.on-sale', { ...this.window(context), limit: saleLimit, offset: 0 }),
      this.catalog.call('promotions.list', {}),
      this.catalog.call('banners.list', { withLinks: true }),
    ]);
    return { onSale: products, hasMoreOnSale: meta.hasNext, promotions, banners };
  }

  private showTooLong(reply: FastifyReply, context: PageContext, q: string): void {
    this.pages.show(reply, context, {
      view: 'shop/search',
      texts: shopTexts,
      head: '/shop/no-index',
      status: 400,
      title: (words) => words.search,
      data: { q: q.toWellFormed().slice(0, 100), isRejected: true, cards: [], pager: {} },
    });
  }

  private get catalog() {
    return this.clients.of('catalog');
  }

  private window({ user }: PageContext): { viewerId: number; limit: number } {
    return { viewerId: user?.id ?? 0, limit: pageLimit };
  }
}

/** @param end number of products up to the end of this page */
const countText = (words: ShopWords, end: number, hasNext: boolean): string =>
  hasNext ? words.moreThan(end) : words.count(end);

function searchTitle(words: ShopWords, q: string, item: string | undefined): string {
  if (q === '') return item ?? words.everything;
  return item === undefined ? words.results(q) : words.resultsOf(q, item);
}
