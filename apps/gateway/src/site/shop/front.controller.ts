import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { text } from '#contracts';
import { QueueClients } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { queryOf } from '../../edge/bodies/form-body.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { demoAccountFor } from './demo-account.view.js';
import { offsetOf, pageLimit, pagerOf } from './pager.view.js';
import { shopTexts } from './shop.texts.js';
import { ProductCards } from './product-cards.view.js';
import { ShopSite } from './shop.view.js';

const SearchText = text(0, 100);
/** Number of items that an empty search result suggests. */
const suggestionCount = 8;

/** Front page with the newest product of each material, and the product search. */
@Controller()
export class FrontController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly site: ShopSite,
    private readonly productCards: ProductCards,
    private readonly env: GatewayEnv,
  ) {}

  @Page()
  @Get()
  async front(
    @CurrentPage() context: PageContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { language } = context;
    const offset = offsetOf(request);
    const [{ products, meta }, names] = await Promise.all([
      this.catalog.call('products.newest', { limit: pageLimit, offset }),
      this.catalog.call('items.names', { language }),
    ]);
    const demoAccount = demoAccountFor(this.env, request);
    this.pages.show(reply, context, {
      view: 'shop/front',
      texts: shopTexts,
      head: '/shop/front-head',
      // A stored page would reveal the demo account to the next user of the browser
      storable: !demoAccount,
      title: (words) => words.newest,
      data: {
        demoAccount,
        canonical: this.site.absolute(`${this.pages.base}/`),
        cards: await this.productCards.of(context, products, names),
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
    const { language } = context;
    const offset = offsetOf(request);
    const q = (queryOf(request).given.q ?? '').trim();
    if (!SearchText.safeParse(q).success) {
      this.showTooLong(reply, context, q);
      return;
    }
    const [{ products, meta }, names] = await Promise.all([
      this.catalog.call('products.search', { ...this.window(context), offset, q }),
      this.catalog.call('items.names', { language }),
    ]);
    this.pages.show(reply, context, {
      view: 'shop/search',
      texts: shopTexts,
      head: '/shop/no-index',
      storable: true,
      title: (words) => (q === '' ? words.everything : words.results(q)),
      data: {
        q,
        hints: products.length === 0 ? Object.values(names.items).slice(0, suggestionCount) : [],
        cards: await this.productCards.of(context, products, names),
        pager: pagerOf(`${this.pages.base}/search?q=${encodeURIComponent(q)}`, offset, meta.hasNext),
      },
    });
  }

  private showTooLong(reply: FastifyReply, context: PageContext, q: string): void {
    this.pages.show(reply, context, {
      view: 'shop/search',
      texts: shopTexts,
      head: '/shop/no-index',
      status: 400,
      title: (words) => words.search,
      data: { q: q.toWellFormed().slice(0, 100), isRejected: true, hints: [], cards: [], pager: {} },
    });
  }

  private get catalog() {
    return this.clients.of('catalog');
  }

  private window({ user }: PageContext): { viewerId: number; limit: number } {
    return { viewerId: user?.id ?? 0, limit: pageLimit };
  }
}
