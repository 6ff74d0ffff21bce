import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { FormCountsAs, NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { currentPassword } from '../account/current-password.form.js';
import { type FormRejection, type FormResult, submit } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { keyTexts } from './key.texts.js';

interface KeyView {
  readonly apiKey?: string;
  readonly replaced?: boolean;
}

/**
 * Personal API key. It is shown after the user has typed the password or, without a password, after
 * a recent sign-in.
 */
@Controller('applications/key')
export class KeyController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  showForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.renderKeyPage(reply, context, {});
  }

  @Page('members')
  @Post()
  @NotCounted('Wrong passwords are limited; showing a key writes nothing.')
  @PreservesFields()
  @HttpCode(200)
  async reveal(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await this.call('keys.show', context, given);
    if ('errors' in result) this.renderKeyPage(reply, context, {}, result);
    else this.renderKeyPage(reply, context, result.value);
  }

  @Page('members')
  @Get('replace')
  showReplaceForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.renderReplaceForm(reply, context);
  }

  @Page('members')
  @Post('replace')
  @FormCountsAs('users.update')
  @PreservesFields()
  @HttpCode(200)
  async replace(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await this.call('keys.replace', context, given);
    if ('errors' in result) this.renderReplaceForm(reply, context, result);
    else this.renderKeyPage(reply, context, { ...result.value, replaced: true });
  }

  private call(
    message: 'keys.show' | 'keys.replace',
    context: PageContext,
    given: OAuthParameters['given'],
  ): Promise<FormResult<{ apiKey: string }>> {
    const { member: user, visitor } = context;
    return submit(context, z.object({ password: currentPassword(user) }), given, ({ password }) =>
      this.clients.of('accounts').call(message, { userId: user.id, password, visitor }),
    );
  }

  private renderReplaceForm(reply: FastifyReply, context: PageContext, rejection?: FormRejection): void {
    this.pages.show(reply, context, {
      view: 'applications/replace-key',
      texts: keyTexts,
      rejection,
      title: (words) => words.replaceTitle,
    });
  }

  private renderKeyPage(
    reply: FastifyReply,
    context: PageContext,
    { apiKey, replaced }: KeyView,
    rejection?: FormRejection,
  ): void {
    this.pages.show(reply, context, {
      view: 'applications/key',
      texts: keyTexts,
      rejection,
      data: { apiKey, replaced },
      title: (words) => words.title,
    });
  }
}
