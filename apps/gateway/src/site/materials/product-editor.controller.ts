import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  idText,
  type ItemNames,
  type ItemVariant,
  type OAuthParameters,
  problems,
  type Product,
  ResizeMode,
} from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { FormCountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { checkbox, type FormRejection, submit } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { parseMaterialId } from './material.form.js';
import { materialsTexts } from './materials.texts.js';

const ProductForm = z.object({ variant: idText, resizeMode: ResizeMode, published: checkbox });

interface ProductValues {
  readonly variant?: string | undefined;
  readonly resizeMode?: string | null | undefined;
  readonly published?: boolean;
}

/**
 * Form that changes one product of a material: representative variant, resize mode, publication.
 */
@Controller('materials/:id/items/:itemId')
export class ProductEditorController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  async showForm(
    @CurrentPage() context: PageContext,
    @Param() params: Readonly<Record<string, string>>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const product = await this.find(context, params);
    const { sampleItemVariant, resizeMode, published } = product;
    const stored = { variant: String(sampleItemVariant.id), resizeMode, published };
    await this.show(reply, context, product, context.draft ? valuesOfForm(context.draft) : stored);
  }

  @Page('members')
  @Post()
  @FormCountsAs('materials.update')
  @PreservesFields('variant', 'resizeMode', 'published')
  async change(
    @CurrentPage() context: PageContext,
    @Param() params: Readonly<Record<string, string>>,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const product = await this.find(context, params);
    const materialId = product.material.id;
    const result = await submit(context, ProductForm, given, ({ variant, ...values }) => {
      // The stored variant may have been disabled since, and may remain
      const exemplary = variant === product.sampleItemVariant.id ? {} : { exemplaryItemVariantId: variant };
      return this.clients.of('catalog').call('materials.update', {
        viewerId: context.member.id,
        materialId,
        products: [{ itemId: product.item.id, ...exemplary, ...values }],
      });
    });
    if ('errors' in result) await this.show(reply, context, product, valuesOfForm(given), result);
    else this.pages.seeOther(reply, `/materials/${materialId}?done=published`, '/materials', 'products');
  }

  /** @throws DomainError `material.not-found`, `product.not-found` */
  private async find({ member }: PageContext, params: Readonly<Record<string, string>>): Promise<Product> {
    const itemId = idText.safeParse(params.itemId);
    const request = { viewerId: member.id, materialId: parseMaterialId(params.id ?? '') };
    const { material, products } = await this.clients.of('catalog').call('materials.get', request);
    const product = products.find(({ item }) => item.id === itemId.data);
    if (!product || material.user.id !== member.id)
      throw new DomainError(problems['product.not-found'], 'The material has no such product of the user.');
    return product;
  }

  /** @param values values of the product, of a draft, or of a rejected form */
  private async show(
    reply: FastifyReply,
    context: PageContext,
    product: Product,
    values: ProductValues,
    rejection?: FormRejection,
  ): Promise<void> {
    const { language } = context;
    const catalog = this.clients.of('catalog');
    const [{ product: detail }, names] = await Promise.all([
      catalog.call('products.get', { viewerId: context.member.id, productId: product.id }),
      catalog.call('items.names', { language }),
    ]);
    const item = names.items[product.item.name] ?? product.item.humanizeName;
    this.pages.show(reply, context, {
      view: 'materials/product',
      texts: materialsTexts,
      rejection,
      title: (words) => words.editProduct(item),
      data: {
        materialId: product.material.id,
        itemId: product.item.id,
        values,
        variants: detail.itemVariants
          .filter(({ id, enabled }) => enabled || id === product.sampleItemVariant.id)
          .map((variant) => optionOf(variant, names, materialsTexts[language])),
      },
    });
  }
}

const valuesOfForm = ({ variant, resizeMode, published }: Readonly<Record<string, string>>): ProductValues => ({
  variant,
  resizeMode,
  published: published !== undefined,
});

const optionOf = ({ id, color, size, enabled }: ItemVariant, names: ItemNames, words: { notOffered: string }) => {
  const name = `${names.colors[color.name] ?? color.displayName} · ${names.sizes[size.name] ?? size.displayName}`;
  return { id: String(id), label: enabled ? name : `${name} (${words.notOffered})` };
};
