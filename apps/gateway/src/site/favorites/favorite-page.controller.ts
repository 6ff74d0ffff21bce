import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { idText, type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { CountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { noticeOf } from '../pages/notice.view.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { offsetOf, pageLimit, pagerOf, skipEmptyPage } from '../shop/pager.view.js';
import { ProductCards } from '../shop/product-cards.view.js';
import { shopTexts } from '../shop/shop.texts.js';
import { favoritesTexts } from './favorites.texts.js';

/** A favorite button: its name is the change, its value the product. */
const FavoriteForm = z.union([z.object({ add: idText }), z.object({ remove: idText })]);

/** Favorites of the signed-in user, and the favorite buttons of all pages. */
@Controller('favorites')
export class FavoritePageController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly productCards: ProductCards,
  ) {}

  @Page('members')
  @Get()
  async list(
    @CurrentPage() context: PageContext,
    @Query('done') done: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { language, member } = context;
    const offset = offsetOf(request);
    const page = { viewerId: member.id, limit: pageLimit, offset };
    const [{ favorites, meta }, names] = await Promise.all([
      this.clients.of('social').call('favorites.of-user', { ...page, userId: member.id }),
      this.clients.of('catalog').call('items.names', { language }),
    ]);
    skipEmptyPage(request, offset, favorites);
    const products = favorites.map(({ product }) => product);
    this.pages.show(reply, context, {
      view: 'favorites/favorites',
      texts: favoritesTexts,
      title: (words) => words.title,
      data: {
        shop: shopTexts[language],
        notice: noticeOf(favoritesTexts[language].done, done),
        cards: await this.productCards.of(context, products, names),
        pager: pagerOf(`${this.pages.base}/favorites`, offset, meta.hasNext),
      },
    });
  }

  @Page('members')
  @Post()
  @CountsAs(({ remove }) => (remove === undefined ? 'favorites.create' : 'favorites.delete'))
  async change(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = FavoriteForm.safeParse(given);
    if (!form.success) throw new DomainError(problems['request.invalid'], 'body: add or remove must be a product id');
    const productId = 'add' in form.data ? form.data.add : form.data.remove;
    const favorite = { viewerId: context.member.id, productId };
    if ('add' in form.data) await this.add(favorite);
    else await this.remove(favorite);
    const list = 'remove' in form.data ? listPageOf(given.to) : undefined;
    if (list === undefined) this.pages.seeOther(reply, given.to, '/favorites', `product-${productId}`);
    else this.pages.seeOther(reply, `${list}${list.includes('?') ? '&' : '?'}done=removed`);
  }

  /** Adds a favorite, unless the user has one, whose count would increase. */
  private async add(favorite: { readonly viewerId: number; readonly productId: number }): Promise<void> {
    const first = { anonymous: false, count: 1, onlyFirst: true };
    await this.clients.of('social').call('favorites.create', { ...favorite, ...first });
  }

  private async remove(favorite: { readonly viewerId: number; readonly productId: number }): Promise<void> {
    try {
      await this.clients.of('social').call('favorites.delete', favorite);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind.code !== 'favorite.not-found') throw error;
    }
  }
}

/**
 * Returns the path if it is that of the list of favorites, which does not contain a removed
 * product; undefined for other pages.
 */
const listPageOf = (path: string | undefined): string | undefined => /^\/favorites(?:\?.*)?$/.exec(path ?? '')?.[0];
