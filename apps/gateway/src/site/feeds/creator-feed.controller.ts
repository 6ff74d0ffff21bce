import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { userName } from '#contracts';
import { QueueClients } from '#request-queue';
import { languageOf } from '../../edge/headers/language.js';
import { noRoute } from '../../edge/routing/no-route.js';
import { Public } from '../../edge/routing/operation.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { redirectPermanently } from '../pages/permanent-redirect.js';
import { pageLimit } from '../shop/pager.view.js';
import { ShopView } from '../shop/shop.view.js';
import { creatorFeed } from './creator-feed.view.js';

/** Atom feed (RFC 4287) of the newest published products of a creator. */
@Controller()
export class CreatorFeedController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
  ) {}

  @Public()
  @Get(':user/feed.atom')
  async show(@Param('user') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!userName.safeParse(name).success) throw noRoute(request);
    const language = languageOf(request.headers['accept-language']);
    const catalog = this.clients.of('catalog');
    const [user, { products }, names] = await Promise.all([
      this.clients.of('accounts').call('users.show', { name }),
      catalog.call('products.list', { viewerId: 0, limit: pageLimit, offset: 0, userName: name }),
      catalog.call('items.names', { language }),
    ]);
    if (user.name !== name) {
      redirectPermanently(reply, request, `${this.shopView.creator(user)}/feed.atom`);
      return;
    }
    void reply.header('vary', 'accept-language');
    const data = creatorFeed(this.shopView, user, products, names, language);
    this.pages.sendXml(reply, 'application/atom+xml', 'feeds/creator', data);
  }
}
