import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type OAuthParameters, problems, toVisibleLine } from '#contracts';
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
import { creatorName, ShopView } from '../shop/shop.view.js';
import { ChoiceEntryForm, ChoiceProductForm, parseChoiceId } from './choice.form.js';
import { choicesTexts } from './choices.texts.js';

/** Lists of the signed-in user, and the page of a list, which others can open if it is public. */
@Controller('choices')
export class ChoicePageController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly productCards: ProductCards,
  ) {}

  /** With the query `product`, each list has a button that adds this product. */
  @Page('members')
  @Get()
  async list(
    @CurrentPage() context: PageContext,
    @Query('done') done: unknown,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const viewerId = context.member.id;
    const added = ChoiceProductForm.safeParse(query).data;
    const offset = offsetOf(request);
    const page = { viewerId, userId: viewerId, limit: pageLimit, offset };
    const { choices, meta } = await this.clients.of('social').call('choices.list', page);
    skipEmptyPage(request, offset, choices);
    this.pages.show(reply, context, {
      view: 'choices/choices',
      texts: choicesTexts,
      title: (words) => (added ? words.addTitle : words.title),
      data: {
        choices,
        added,
        addedQuery: queryOfAdded(added),
        shop: shopTexts[context.language],
        notice: noticeOf(choicesTexts[context.language].done, done),
        pager: pagerOf(`${this.pages.base}/choices${queryOfAdded(added)}`, offset, meta.hasNext),
      },
    });
  }

  @Page()
  @Get(':id')
  async show(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Query('done') done: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { language, user } = context;
    const offset = offsetOf(request);
    const key = { viewerId: user?.id ?? 0, choiceId: parseChoiceId(id) };
    const [{ choice }, { products, meta }, names] = await Promise.all([
      this.clients.of('social').call('choices.get', key),
      this.clients.of('social').call('choices.products', { ...key, limit: pageLimit, offset }),
      this.clients.of('catalog').call('items.names', { language }),
    ]);
    skipEmptyPage(request, offset, products);
    const path = `${this.pages.base}/choices/${choice.id}`;
    const cards = await this.productCards.of(context, products, names);
    const isOwn = user?.id === choice.user.id;
    this.pages.show(reply, context, {
      view: 'choices/choice',
      texts: choicesTexts,
      head: choice.secret ? '/shop/no-index' : '/choices/choice-head',
      storable: !choice.secret,
      title: () => toVisibleLine(choice.title),
      data: {
        choice,
        isOwn,
        shop: shopTexts[language],
        notice: noticeOf(choicesTexts[language].done, done),
        creator: creatorName(choice.user),
        creatorPath: this.shopView.creator(choice.user),
        banner: this.shopView.choiceBanner(choice),
        canonical: this.shopView.absolute(path),
        preview: products[0] ? this.shopView.preview(products[0], this.shopView.sample(products[0])) : null,
        cards,
        editPath: isOwn ? path : null,
        pager: pagerOf(path, offset, meta.hasNext),
      },
    });
  }

  /** Adds a product to the list that the form names. */
  @Page('members')
  @Post('add')
  @CountsAs('choices.add')
  async add(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = ChoiceProductForm.safeParse(given);
    if (!form.success) throw new DomainError(problems['request.invalid'], 'body.product must be a product id');
    const { product: productId, variant: itemVariantId } = form.data;
    const key = keyOf(context, given.choice ?? '');
    await this.clients.of('social').call('choices.add', { ...key, productId, itemVariantId });
    this.pages.seeOther(reply, `/choices/${key.choiceId}?done=added`);
  }

  @Page('members')
  @Post(':id/remove')
  @CountsAs('choices.remove')
  async remove(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [productId, itemVariantId] = entryOf(given);
    const key = keyOf(context, id);
    await this.clients.of('social').call('choices.remove', { ...key, productId, itemVariantId });
    this.pages.seeOther(reply, `/choices/${key.choiceId}?done=removed`);
  }

  @Page('members')
  @Post(':id/move-first')
  @CountsAs('choices.update')
  async moveFirst(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [productId, itemVariantId] = entryOf(given);
    const key = keyOf(context, id);
    await this.clients.of('social').call('choices.move-first', { ...key, productId, itemVariantId });
    this.pages.seeOther(reply, `/choices/${key.choiceId}?done=moved`);
  }
}

/** Returns the query with the product that is to be added to a list; empty without one. */
function queryOfAdded(added: z.output<typeof ChoiceProductForm> | undefined): string {
  if (!added) return '';
  const { product, variant } = added;
  return `?product=${product}${variant === undefined ? '' : `&variant=${variant}`}`;
}

const keyOf = ({ member }: PageContext, id: string) => ({ viewerId: member.id, choiceId: parseChoiceId(id) });

/** @throws DomainError `request.invalid` */
function entryOf(given: Readonly<Record<string, string>>): [productId: number, itemVariantId: number] {
  const form = ChoiceEntryForm.safeParse(given);
  if (form.success) return form.data.entry;
  throw new DomainError(problems['request.invalid'], 'body.entry must be the ids of a product and a variant');
}
