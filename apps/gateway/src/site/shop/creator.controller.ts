import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type User, userName, webUrl } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { noRoute } from '../../edge/routing/no-route.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { redirectPermanently } from '../pages/permanent-redirect.js';
import { offsetOf, pageLimit, pagerOf, skipEmptyPage } from './pager.view.js';
import { shopTexts } from './shop.texts.js';
import { ProductCards } from './product-cards.view.js';
import { creatorName, ShopView } from './shop.view.js';

const segments = new Intl.Segmenter();
const firstLetter = (text: string): string => segments.segment(text)[Symbol.iterator]().next().value?.segment ?? '';

/**
 * Returns a URL that is safe to link to, else null. Validated on write too, but the page does not
 * rely on that.
 */
const safeUrl = (url: string | null): string | null => (webUrl.safeParse(url).success ? url : null);

/** Page of a creator, with their products. */
@Controller()
export class CreatorController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly productCards: ProductCards,
  ) {}

  /** A single path segment is a user name unless another route matches it. */
  @Page()
  @Get(':user')
  async show(
    @CurrentPage() context: PageContext,
    @Param('user') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!userName.safeParse(name).success) throw noRoute(request);
    const { language } = context;
    const viewerId = context.user?.id ?? 0;
    const offset = offsetOf(request);
    const catalog = this.clients.of('catalog');
    const [found, { products, meta }, names] = await Promise.all([
      this.clients.of('accounts').call('users.list', { viewerId, limit: 1, offset: 0, name }),
      catalog.call('products.list', { viewerId, limit: pageLimit, offset, userName: name }),
      catalog.call('items.names', { language }),
    ]);
    const [user] = found.users;
    if (!user) {
      redirectPermanently(reply, request, this.shopView.creator(await this.findIgnoringCase(name, request)));
      return;
    }
    skipEmptyPage(request, offset, products);
    const creator = creatorName(user);
    this.pages.show(reply, context, {
      view: 'shop/creator',
      texts: shopTexts,
      head: '/shop/creator-head',
      storable: true,
      title: () => (creator === user.name ? creator : `${creator} (${user.name})`),
      data: {
        creator,
        of: user,
        initial: firstLetter(creator),
        avatar: this.shopView.avatar(user),
        banner: this.shopView.header(user),
        homePage: safeUrl(user.profile.url),
        preview: products[0] ? this.shopView.preview(products[0], this.shopView.sample(products[0])) : null,
        canonical: this.shopView.absolute(this.shopView.creator(user)),
        cards: await this.productCards.of(context, products, names),
        pager: pagerOf(this.shopView.creator(user), offset, meta.hasNext),
      },
    });
  }

  /** Finds a user by name, ignoring case. */
  private async findIgnoringCase(name: string, request: FastifyRequest): Promise<Pick<User, 'name'>> {
    try {
      return await this.clients.of('accounts').call('users.show', { name });
    } catch (error) {
      throw error instanceof DomainError && error.status === 404 ? noRoute(request) : error;
    }
  }
}
