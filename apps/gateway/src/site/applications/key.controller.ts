import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { presentPassword } from '../account/present-password.form.js';
import { type Refused, type Submitted, submit } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { keyTexts } from './key.texts.js';

interface KeyView {
  readonly apiKey?: string;
  readonly replaced?: boolean;
}

/** The personal API key: shown after a form with the user's password or, without one, a recent sign-in. */
@Controller('applications/key')
export class KeyController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  ask(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): void {
    this.show(reply, visit, {});
  }

  @Page('members')
  @Post()
  @HttpCode(200)
  async reveal(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await this.call('keys.show', visit, given);
    if ('errors' in result) this.show(reply, visit, {}, result);
    else this.show(reply, visit, result.done);
  }

  @Page('members')
  @Get('replace')
  askToReplace(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): void {
    this.showQuestion(reply, visit);
  }

  @Page('members')
  @Post('replace')
  @HttpCode(200)
  async replace(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await this.call('keys.replace', visit, given);
    if ('errors' in result) this.showQuestion(reply, visit, result);
    else this.show(reply, visit, { ...result.done, replaced: true });
  }

  private call(
    message: 'keys.show' | 'keys.replace',
    { member: user, visitor }: PageContext,
    given: OAuthParameters['given'],
  ): Promise<Submitted<{ apiKey: string }>> {
    return submit(z.object({ password: presentPassword(user) }), given, ({ password }) =>
      this.clients.of('accounts').call(message, { userId: user.id, password, visitor }),
    );
  }

  private showQuestion(reply: FastifyReply, visit: PageContext, refused?: Refused): void {
    this.pages.show(reply, visit, {
      view: 'applications/replace-key',
      texts: keyTexts,
      refused,
      title: (words) => words.replaceTitle,
    });
  }

  private show(reply: FastifyReply, visit: PageContext, { apiKey, replaced }: KeyView, refused?: Refused): void {
    this.pages.show(reply, visit, {
      view: 'applications/key',
      texts: keyTexts,
      refused,
      data: { apiKey, replaced },
      title: (words) => words.title,
    });
  }
}
