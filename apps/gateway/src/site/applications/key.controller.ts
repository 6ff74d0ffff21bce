import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { OAuthParameters, RequestOf, Services } from '#contracts';
import { QueueClients } from '#request-queue';
import { FormCountsAs, NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { currentPassword } from '../account/current-password.form.js';
import { type FormRejection, type FormResult, submit } from '../pages/form.js';
import { awaitFirst, idempotencyOfForm } from '../pages/idempotency.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { keyTexts } from './key.texts.js';

type KeyRequest = RequestOf<Services['accounts'], 'keys.show'>;

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
    const result = await this.submitPassword(context, given, (request) =>
      this.clients.of('accounts').call('keys.show', request),
    );
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
    const result = await this.submitPassword(context, given, (request) => {
      // Without the password, whose hash would be stored as part of the fingerprint
      const idempotency = idempotencyOfForm(given.csrf!, { userId: request.userId });
      return awaitFirst(() => this.clients.of('accounts').call('keys.replace', { ...request, idempotency }));
    });
    if ('errors' in result) this.renderReplaceForm(reply, context, result);
    else this.renderKeyPage(reply, context, { ...result.value, replaced: true });
  }

  private submitPassword(
    context: PageContext,
    given: OAuthParameters['given'],
    send: (request: KeyRequest) => Promise<{ apiKey: string }>,
  ): Promise<FormResult<{ apiKey: string }>> {
    const { member: user, visitor } = context;
    return submit(context, z.object({ password: currentPassword(user) }), given, ({ password }) =>
      send({ userId: user.id, password, visitor }),
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
