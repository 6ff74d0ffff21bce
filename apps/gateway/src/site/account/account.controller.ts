import { Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { type FormRejection, submit } from '../pages/form.js';
import { noticeOf } from '../pages/notice.view.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { accountTexts, doneTexts } from './account.texts.js';

/** Overview of the signed-in user's account, with links to its other pages. */
@Controller('account')
export class AccountController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  /** @param done key of the confirmation to show; unknown keys show none */
  @Page('members')
  @Get()
  async showOverview(
    @CurrentPage() context: PageContext,
    @Query('done') done: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.show(reply, context, { notice: noticeOf(doneTexts[context.language], done) });
  }

  /** Sends the link that confirms the e-mail address again. */
  @Page('members')
  @Post('email/confirmation/send')
  @NotCounted('Mail is limited per recipient and address.')
  async sendConfirmation(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): Promise<void> {
    const { member, visitor } = context;
    const result = await submit(context, z.object({}), {}, () =>
      this.clients.of('accounts').call('emails.request-confirmation', { userId: member.id, visitor }),
    );
    if ('errors' in result) await this.show(reply, context, {}, result);
    else this.pages.seeOther(reply, '/account?done=confirmation-sent');
  }

  private async show(
    reply: FastifyReply,
    context: PageContext,
    { notice }: { readonly notice?: string | undefined },
    rejection?: FormRejection,
  ): Promise<void> {
    this.pages.show(reply, context, {
      view: 'account/account',
      texts: accountTexts,
      rejection,
      data: { notice, confirmation: await this.confirmationState(context) },
      title: (words) => words.title,
    });
  }

  /** Returns undefined for an unconfirmed address if the shop sends no mail. */
  private async confirmationState({ member }: PageContext): Promise<'confirmed' | 'unconfirmed' | undefined> {
    if (member.emailConfirmed) return 'confirmed';
    const { enabled } = await this.clients.of('accounts').call('mail.show', {});
    return enabled ? 'unconfirmed' : undefined;
  }
}
