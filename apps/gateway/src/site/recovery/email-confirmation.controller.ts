import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { type OAuthParameters, opaque } from '#contracts';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { type FormRejection, submit } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields, ReopensAt } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { confirmationTexts } from './recovery.texts.js';

const ConfirmationForm = z.object({ token: opaque });

/**
 * Page of the link that confirms an e-mail address. Only its form confirms, because mail scanners
 * open links.
 */
@Controller('account/email/confirmation')
export class EmailConfirmationController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page()
  @Get()
  showForm(@CurrentPage() context: PageContext, @Query('token') token: unknown, @Res() reply: FastifyReply): void {
    this.show(reply, context, typeof token === 'string' ? token : '');
  }

  @Page()
  @Post()
  @NotCounted('A link confirms once.')
  @PreservesFields()
  @ReopensAt(({ token = '' }) => `/account/email/confirmation?token=${encodeURIComponent(token)}`)
  async confirm(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await submit(context, ConfirmationForm, given, (values) =>
      this.clients.of('accounts').call('emails.confirm', values),
    );
    if ('errors' in result && !(await this.isConfirmed(context, result)))
      this.show(reply, context, given.token ?? '', result);
    else this.pages.seeOther(reply, context.user ? '/account?done=confirmed' : '/sign-in?done=confirmed');
  }

  /**
   * Returns whether a used link confirmed the address of the signed-in user, as after pressing the
   * button twice. The session was read before the first submission had its effect.
   */
  private async isConfirmed({ user }: PageContext, { errors }: FormRejection): Promise<boolean> {
    if (!user || errors.form !== 'link.expired') return false;
    const found = await this.clients.of('accounts').call('sessions.show', { session: user.session });
    return found.active && found.user.emailConfirmed;
  }

  private show(reply: FastifyReply, context: PageContext, token: string, rejection?: FormRejection): void {
    this.pages.show(reply, context, {
      view: 'recovery/confirmation',
      texts: confirmationTexts,
      rejection,
      data: { token },
      isAddressSecret: true,
      title: (words) => words.title,
    });
  }
}
