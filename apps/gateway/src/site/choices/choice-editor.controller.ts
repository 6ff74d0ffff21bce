import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Choice, idText, type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { CountsAs, FormCountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { type FormRejection, submit } from '../pages/form.js';
import { awaitFirst, idempotencyOfForm, undefinedIfMissing } from '../pages/idempotency.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import {
  choiceFields,
  ChoiceForm,
  ChoiceProductForm,
  type ChoiceValues,
  parseChoiceId,
  valuesOfForm,
} from './choice.form.js';
import { choicesTexts } from './choices.texts.js';

/** First product of a new list. */
interface FirstProduct {
  readonly product?: string | undefined;
  readonly variant?: string | undefined;
}

/** Forms that create, change and delete a list. */
@Controller('choices')
export class ChoiceEditorController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get('new')
  showNew(
    @CurrentPage() context: PageContext,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() reply: FastifyReply,
  ): void {
    const { draft } = context;
    const { product, variant } = draft ?? query;
    const first = { product: idTextOf(product), variant: idTextOf(variant) };
    this.show(reply, context, { path: '/choices/new', first, values: draft ? valuesOfForm(draft) : {} });
  }

  @Page('members')
  @Post('new')
  @FormCountsAs('choices.create')
  @PreservesFields(...choiceFields, 'product', 'variant')
  async create(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const first = ChoiceProductForm.safeParse(given);
    const choiceProducts = first.success ? [{ productId: first.data.product, itemVariantId: first.data.variant }] : [];
    const result = await submit(context, ChoiceForm, given, ({ title, description, banner, secret }) => {
      const choice = {
        viewerId: context.member.id,
        title,
        ...(description !== null && { description }),
        ...(banner !== null && { bannerUrl: banner }),
        secret,
        choiceProducts,
      };
      const idempotency = idempotencyOfForm(given.csrf!, choice);
      return awaitFirst(() => this.clients.of('social').call('choices.create', { ...choice, idempotency }));
    });
    if ('errors' in result)
      this.show(reply, context, { path: '/choices/new', first: given, values: valuesOfForm(given) }, result);
    else this.pages.seeOther(reply, `/choices/${result.value.choice.id}?done=created`);
  }

  @Page('members')
  @Get(':id/edit')
  async showEdit(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const choice = await this.own(context, id);
    const values = context.draft ? valuesOfForm(context.draft) : { ...choice, banner: choice.bannerUrl };
    this.show(reply, context, { path: `/choices/${choice.id}/edit`, choice, values });
  }

  @Page('members')
  @Post(':id/edit')
  @FormCountsAs('choices.update')
  @PreservesFields(...choiceFields)
  async change(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const choice = await this.own(context, id);
    const key = { viewerId: context.member.id, choiceId: choice.id };
    const result = await submit(context, ChoiceForm, given, ({ banner, ...values }) =>
      this.clients.of('social').call('choices.update', { ...key, ...values, bannerUrl: banner }),
    );
    if ('errors' in result)
      this.show(reply, context, { path: `/choices/${choice.id}/edit`, choice, values: valuesOfForm(given) }, result);
    else this.pages.seeOther(reply, `/choices/${choice.id}?done=saved`);
  }

  @Page('members')
  @Get(':id/delete')
  async showDeletion(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const choice = await this.own(context, id);
    this.pages.show(reply, context, {
      view: 'choices/delete',
      texts: choicesTexts,
      title: (words) => words.delete,
      data: { choice },
    });
  }

  @Page('members')
  @Post(':id/delete')
  @CountsAs('choices.delete')
  async delete(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = { viewerId: context.member.id, choiceId: parseChoiceId(id) };
    await undefinedIfMissing(this.clients.of('social').call('choices.delete', key));
    this.pages.seeOther(reply, '/choices?done=deleted');
  }

  /** Returns a list of the signed-in user. Throws `choice.not-found` or `choice.not-owned`. */
  private async own(context: PageContext, id: string): Promise<Choice> {
    const viewerId = context.member.id;
    const { choice } = await this.clients.of('social').call('choices.get', { viewerId, choiceId: parseChoiceId(id) });
    if (choice.user.id !== viewerId)
      throw new DomainError(problems['choice.not-owned'], `Choice ${choice.id} belongs to another user.`);
    return choice;
  }

  /** @param form `choice` is absent for a new list */
  private show(
    reply: FastifyReply,
    context: PageContext,
    form: { path: string; values: ChoiceValues; choice?: Choice; first?: FirstProduct },
    rejection?: FormRejection,
  ): void {
    const { path, values, choice, first } = form;
    this.pages.show(reply, context, {
      view: 'choices/edit',
      texts: choicesTexts,
      rejection,
      title: (words) => (choice ? words.edit : words.newTitle),
      data: { path, values, choice, first },
    });
  }
}

const idTextOf = (text: unknown): string | undefined => (idText.safeParse(text).success ? String(text) : undefined);
