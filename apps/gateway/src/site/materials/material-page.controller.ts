import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  idText,
  type ItemNames,
  type OAuthParameters,
  type PayloadOf,
  problems,
  type ReplyOf,
  type Services,
  toVisibleLine,
} from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { CountsAs, FormCountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { GatewayEnv } from '../../env.js';
import { renderingScript } from '../pages/assets.js';
import { type FormRejection, submit } from '../pages/form.js';
import { undefinedIfMissing } from '../pages/idempotency.js';
import { noticeOf } from '../pages/notice.view.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { Member, PageContext } from '../pages/page-context.js';
import { offsetOf, pageLimit, pagerOf, skipEmptyPage } from '../shop/pager.view.js';
import { shopTexts } from '../shop/shop.texts.js';
import { ShopView } from '../shop/shop.view.js';
import { itemOptionsOf } from './item-option.view.js';
import { materialFields, parseMaterialId } from './material.form.js';
import { materialsTexts } from './materials.texts.js';
import { RenderedImageStore } from './rendered-image.store.js';

type Described = ReplyOf<Services['catalog'], 'materials.describe'>;
type Material = ReplyOf<Services['catalog'], 'materials.get'>;
type Change = Omit<PayloadOf<Services['catalog'], 'materials.update'>, 'viewerId' | 'materialId' | 'language'>;

/** A button of the products of a material: its name is the change, its value an item or `all`. */
const PublicationForm = z.union([
  z.object({ publish: z.union([idText, z.literal('all')]) }),
  z.object({ unpublish: idText }),
]);

/** Materials of the signed-in user: list, page, changes, deletion. */
@Controller('materials')
export class MaterialPageController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly images: RenderedImageStore,
    private readonly env: GatewayEnv,
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
    const { materials, meta } = await this.clients
      .of('catalog')
      .call('materials.list', { viewerId: member.id, limit: pageLimit, offset });
    skipEmptyPage(request, offset, materials);
    this.pages.show(reply, context, {
      view: 'materials/materials',
      texts: materialsTexts,
      title: (words) => words.title,
      data: {
        materials,
        shop: shopTexts[language],
        notice: noticeOf(materialsTexts[language].done, done),
        pager: pagerOf(`${this.pages.base}/materials`, offset, meta.hasNext),
      },
    });
  }

  @Page('members')
  @Get(':id')
  async show(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Query() { done, item }: Readonly<Record<string, unknown>>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { language } = context;
    const [described, names, { items }] = await Promise.all([
      this.describe(context, id),
      this.clients.of('catalog').call('items.names', { language }),
      this.clients.of('catalog').call('items.list', {}),
    ]);
    const { material } = described;
    const key = { viewerId: context.member.id, materialId: material.id };
    const violation = material.violation
      ? await this.clients.of('catalog').call('materials.violation-reason', key)
      : { reason: null };
    // Images of a violating material are never rendered
    const isRendering = !material.violation && !(await this.images.areComplete(described.products));
    this.pages.show(reply, context, {
      view: 'materials/material',
      texts: materialsTexts,
      title: () => toVisibleLine(material.title),
      scripts: isRendering ? [renderingScript.path] : [],
      data: {
        material,
        reason: violation.reason,
        isRendering,
        shop: shopTexts[language],
        notice: noticeOf(materialsTexts[language].done, done),
        // Product beside which the notice is shown
        changed: described.products.find((it) => String(it.item.id) === item)?.item.id,
        ...this.productsOf(described, names, context),
        otherItems: itemOptionsOf(items, names, language).filter(
          ({ id }) => !described.products.some(({ item }) => item.id === id),
        ),
      },
    });
  }

  @Page('members')
  @Post(':id/publication')
  @CountsAs('materials.update')
  async publish(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = PublicationForm.safeParse(given);
    if (!form.success)
      throw new DomainError(problems['request.invalid'], 'body: publish or unpublish must be an item id');
    const published = 'publish' in form.data;
    const wanted = 'publish' in form.data ? form.data.publish : form.data.unpublish;
    const materialId = parseMaterialId(id);
    const itemIds = wanted === 'all' ? (await this.own(context, id)).products.map(({ item }) => item.id) : [wanted];
    await this.update(context, materialId, { products: itemIds.map((itemId) => ({ itemId, published })) });
    if (wanted === 'all') this.pages.seeOther(reply, `/materials/${materialId}?done=published`);
    else
      this.pages.seeOther(
        reply,
        `/materials/${materialId}?done=product&item=${wanted}`,
        '/materials',
        `item-${wanted}`,
      );
  }

  @Page('members')
  @Get(':id/edit')
  async showEdit(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { material } = await this.own(context, id);
    const { title, description, price } = material;
    this.showForm(reply, context, material.id, context.draft ?? { title, description, price: String(price) });
  }

  @Page('members')
  @Post(':id/edit')
  @FormCountsAs('materials.update')
  @PreservesFields('title', 'description', 'price')
  async change(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const materialId = parseMaterialId(id);
    const form = z.object(materialFields(this.env.MATERIAL_PRICE_MAX));
    const result = await submit(context, form, given, (values) => this.update(context, materialId, values));
    if ('errors' in result) this.showForm(reply, context, materialId, given, result);
    else this.pages.seeOther(reply, `/materials/${materialId}?done=saved`);
  }

  @Page('members')
  @Get(':id/delete')
  async showDeletion(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { material, products } = await this.own(context, id);
    this.pages.show(reply, context, {
      view: 'materials/delete',
      texts: materialsTexts,
      title: (words) => words.delete,
      data: { material, count: products.length },
    });
  }

  @Page('members')
  @Post(':id/delete')
  @CountsAs('materials.delete')
  async delete(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = { viewerId: context.member.id, materialId: parseMaterialId(id) };
    await undefinedIfMissing(this.clients.of('catalog').call('materials.delete', request));
    this.pages.seeOther(reply, '/materials?done=deleted');
  }

  /**
   * Returns a material of the signed-in user with its products.
   *
   * @throws DomainError `material.not-found`, `material.not-owned`
   */
  private async own({ member }: PageContext, id: string): Promise<Material> {
    const request = { viewerId: member.id, materialId: parseMaterialId(id) };
    return ownedBy(member, await this.clients.of('catalog').call('materials.get', request));
  }

  /**
   * Returns a material of the signed-in user with its products and print warnings.
   *
   * @throws DomainError `material.not-found`, `material.not-owned`
   */
  private async describe({ member, language }: PageContext, id: string): Promise<Described> {
    const request = { viewerId: member.id, materialId: parseMaterialId(id), language };
    return ownedBy(member, await this.clients.of('catalog').call('materials.describe', request));
  }

  private async update({ member, language }: PageContext, materialId: number, change: Change): Promise<void> {
    const request = { viewerId: member.id, materialId, language, ...change };
    await this.clients.of('catalog').call('materials.update', request);
  }

  private productsOf({ products, warnings, material }: Described, names: ItemNames, { language }: PageContext) {
    const words = materialsTexts[language];
    const codes = new Set(warnings.map(({ code }) => code));
    const isTransparent = codes.has('fully-transparent');
    const isCoarse = codes.has('low-resolution');
    return {
      hasDrafts: products.some(({ published }) => !published),
      products: products.map((product) => ({
        itemId: product.item.id,
        published: product.published,
        warnings: warnings.filter(({ itemId }) => itemId === product.item.id).map(({ message }) => message),
        ...this.shopView.card(product, names, language, false),
      })),
      hasWarnings: warnings.length > 0 && !material.violation,
      isTransparent,
      warningHints: [
        isTransparent ? words.warningTransparentHint : words.warningHint,
        ...(isCoarse && !isTransparent ? [words.warningImageHint] : []),
        ...(codes.has('cropped') ? [words.warningCroppedHint] : []),
      ],
    };
  }

  private showForm(
    reply: FastifyReply,
    context: PageContext,
    materialId: number,
    values: Readonly<Record<string, string | null | undefined>>,
    rejection?: FormRejection,
  ): void {
    this.pages.show(reply, context, {
      view: 'materials/edit',
      texts: materialsTexts,
      rejection,
      title: (words) => words.edit,
      data: { materialId, values, maxPrice: this.env.MATERIAL_PRICE_MAX },
    });
  }
}

function ownedBy<Found extends Material>({ id }: Member, found: Found): Found {
  if (found.material.user.id !== id)
    throw new DomainError(problems['material.not-owned'], 'The material belongs to another user.');
  return found;
}
