import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { FormCountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { AdmittedAs } from '../../edge/admission/admission.js';
import { AcceptsUpload, fileOf } from '../../edge/bodies/upload-form.js';
import { GatewayEnv } from '../../env.js';
import { uploadScript } from '../pages/assets.js';
import { type FormRejection, submit } from '../pages/form.js';
import { awaitFirst, idempotencyOfForm } from '../pages/idempotency.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { FormUploadStore } from './form-upload.store.js';
import { itemOptionsOf } from './item-option.view.js';
import { creationForm, selectedItems, textForm, unprintable } from './material.form.js';
import { materialsTexts } from './materials.texts.js';

type FormValues = Readonly<Record<string, string | undefined>>;

/** Forms that create a material from an image or a text. */
@Controller('materials/new')
export class MaterialCreationController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly uploads: FormUploadStore,
    private readonly env: GatewayEnv,
  ) {}

  @Page('members')
  @Get()
  async showForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): Promise<void> {
    const { draft } = context;
    if (draft) await this.show(reply, context, draft, expiredForm);
    else await this.show(reply, context, newForm);
  }

  @Page('members')
  @Post()
  @FormCountsAs('materials.create')
  @PreservesFields('title', 'description', 'price', 'publish', 'item-')
  @AcceptsUpload()
  async create(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member, language } = context;
    const result = await submit(
      context,
      creationForm(this.env.MATERIAL_PRICE_MAX),
      given,
      ({ key, publish, ...values }) =>
        this.uploads.during(request, member.id, ({ source, hash }) => {
          const products = selectedItems(given).map((itemId) => ({ itemId, published: publish, sub_materials: [] }));
          const idempotency = idempotencyOfForm(key, { ...values, products, hash });
          const material = { viewerId: member.id, ...values, texture: source, products, language, idempotency };
          return awaitFirst(() => this.clients.of('catalog').call('materials.create', material));
        }),
    );
    if ('errors' in result) {
      await this.show(reply, context, given, withFileError(result, request));
      return;
    }
    const { material, products } = result.value;
    this.pages.seeOther(reply, `/materials/${material.id}?done=${products.length > 0 ? 'created' : 'empty'}`);
  }

  @Page('members')
  @Get('text')
  showTextForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.showText(reply, context, context.draft ?? newForm);
  }

  @Page('members')
  @Post('text')
  @FormCountsAs('materials.text')
  @PreservesFields('text', 'title', 'description', 'price', 'publish')
  @AdmittedAs('uploads')
  async createFromText(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member, language } = context;
    const form = textForm(this.env.MATERIAL_PRICE_MAX);
    const result = await submit(context, form, given, ({ key, publish: published, ...values }) => {
      const material = { viewerId: member.id, ...values, published, language };
      const idempotency = idempotencyOfForm(key, { ...values, published });
      return awaitFirst(() => this.clients.of('catalog').call('materials.text', { ...material, idempotency }));
    });
    if ('errors' in result) this.showText(reply, context, given, result);
    else this.pages.seeOther(reply, `/materials/${result.value.material.id}?done=created`);
  }

  private async show(
    reply: FastifyReply,
    context: PageContext,
    values: FormValues,
    rejection?: FormRejection,
  ): Promise<void> {
    const catalog = this.clients.of('catalog');
    const [{ items }, names] = await Promise.all([
      catalog.call('items.list', {}),
      catalog.call('items.names', { language: context.language }),
    ]);
    this.pages.show(reply, context, {
      view: 'materials/new',
      texts: materialsTexts,
      scripts: [uploadScript.path],
      rejection,
      title: (words) => words.newTitle,
      data: {
        values,
        maxPrice: this.env.MATERIAL_PRICE_MAX,
        key: randomUUID(),
        items: itemOptionsOf(items, names, context.language).map((item) => ({
          ...item,
          // A new form selects all items
          selected: !rejection || values[`item-${item.id}`] !== undefined,
        })),
      },
    });
  }

  private showText(reply: FastifyReply, context: PageContext, values: FormValues, rejection?: FormRejection): void {
    this.pages.show(reply, context, {
      view: 'materials/text',
      texts: materialsTexts,
      rejection,
      title: (words) => words.textTitle,
      data: {
        values,
        maxPrice: this.env.MATERIAL_PRICE_MAX,
        key: randomUUID(),
        errorTexts: textErrors(materialsTexts[context.language], rejection),
      },
    });
  }
}

/** Returns the error texts of a text: its own ones list the characters that cannot be printed. */
function textErrors({ errors, notPrintable }: typeof materialsTexts.en, rejection: FormRejection | undefined) {
  const { characters, more } = unprintable(rejection?.details ?? []);
  return { ...errors, 'text.not-printable': notPrintable(characters.join(', '), more) };
}

const newForm: FormValues = { publish: 'yes' };
const expiredForm: FormRejection = { errors: { form: 'form.expired', file: 'texture.select-again' }, status: 200 };

/**
 * Assigns the errors of the image to the field `file`. Browsers never fill in that field again, so
 * it has an error in every rejected form.
 */
function withFileError(rejection: FormRejection, request: FastifyRequest): FormRejection {
  const errors = Object.entries(rejection.errors).map(([field, code]) => [
    code.startsWith('texture.') ? 'file' : field,
    code,
  ]);
  if (!errors.some(([field]) => field === 'file'))
    errors.push(['file', fileOf(request) ? 'texture.select-again' : 'texture.empty']);
  return { ...rejection, errors: Object.fromEntries(errors) as FormRejection['errors'] };
}
