import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  effectiveResizeMode,
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

const ProductForm = z.object({ variant: idText, resizeMode: ResizeMode.optional(), published: checkbox });

/** Product to change, with what the form offers. */
interface EditedProduct {
  readonly product: Product;
  readonly names: ItemNames;
  /** Resize modes of the item. */
  readonly modes: readonly ResizeMode[];
  /** Resize mode of the product, or the default of the item. */
  readonly mode: ResizeMode;
}

interface ProductValues {
  readonly variant?: string | undefined;
  readonly resizeMode?: string | undefined;
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
    const edited = await this.find(context, params);
    const { sampleItemVariant, published } = edited.product;
    const stored = { variant: String(sampleItemVariant.id), resizeMode: edited.mode, published };
    await this.show(reply, context, edited, context.draft ? valuesOfForm(context.draft) : stored);
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
    const edited = await this.find(context, params);
    const { product, mode } = edited;
    const [materialId, itemId] = [product.material.id, product.item.id];
    const result = await submit(context, ProductForm, given, ({ variant, resizeMode, published }) => {
      // The stored variant may have been disabled since, and may remain
      const exemplary = variant === product.sampleItemVariant.id ? {} : { exemplaryItemVariantId: variant };
      return this.clients.of('catalog').call('materials.update', {
        viewerId: context.member.id,
        materialId,
        products: [{ itemId, ...exemplary, ...(resizeMode !== mode && { resizeMode }), published }],
      });
    });
    if ('errors' in result) await this.show(reply, context, edited, valuesOfForm(given), result);
    else
      this.pages.seeOther(
        reply,
        `/materials/${materialId}?done=product&item=${itemId}`,
        '/materials',
        `item-${itemId}`,
      );
  }

  /** @throws DomainError `material.not-found`, `product.not-found` */
  private async find(
    { member, language }: PageContext,
    params: Readonly<Record<string, string>>,
  ): Promise<EditedProduct> {
    const itemId = idText.safeParse(params.itemId);
    const request = { viewerId: member.id, materialId: parseMaterialId(params.id ?? '') };
    const catalog = this.clients.of('catalog');
    const [{ material, products }, names] = await Promise.all([
      catalog.call('materials.get', request),
      catalog.call('items.names', { language }),
    ]);
    const product = products.find(({ item }) => item.id === itemId.data);
    if (!product || material.user.id !== member.id)
      throw new DomainError(problems['product.not-found'], 'The material has no such product of the user.');
    const modes = names.resizeModes[product.item.name] ?? ['cover', 'contain'];
    return { product, names, modes, mode: effectiveResizeMode({ resizeModes: modes }, product.resizeMode) };
  }

  /** @param values values of the product, of a draft, or of a rejected form */
  private async show(
    reply: FastifyReply,
    context: PageContext,
    { product, names, modes }: EditedProduct,
    values: ProductValues,
    rejection?: FormRejection,
  ): Promise<void> {
    const { language } = context;
    const request = { viewerId: context.member.id, productId: product.id };
    const { product: detail } = await this.clients.of('catalog').call('products.get', request);
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
        modes,
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
