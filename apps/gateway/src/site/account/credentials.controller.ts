import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { emailAddress, newPassword, type OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { FormCountsAs, NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { type FormRejection, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { emailTexts, passwordTexts } from './account.texts.js';
import { currentPassword } from './current-password.form.js';

/** Forms that change the email address and the password. */
@Controller('account')
export class CredentialsController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get('email')
  showEmailForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.showEmail(reply, context, undefined, context.draft?.email);
  }

  @Page('members')
  @Post('email')
  @NotCounted('Email changes are limited per address.')
  @PreservesFields('email')
  async changeEmail(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member: user, visitor } = context;
    const shape = z.object({ email: typedLine.pipe(emailAddress), password: currentPassword(user) });
    const accounts = this.clients.of('accounts');
    const result = await submit(
      context,
      shape,
      given,
      (values) => accounts.call('users.change-email', { userId: user.id, ...values, visitor }),
      // Without the email address: only the right password may reveal that another user has it
      ({ password }) => accounts.call('users.check-passwords', { userId: user.id, password, visitor }),
    );
    if ('errors' in result) this.showEmail(reply, context, result, given.email);
    else this.pages.seeOther(reply, '/account?done=email');
  }

  @Page('members')
  @Get('password')
  showPasswordForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.showPassword(reply, context);
  }

  @Page('members')
  @Post('password')
  @FormCountsAs('users.update')
  @PreservesFields()
  async changePassword(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member: user, visitor } = context;
    const endAccess = z.literal('yes').optional().catch(undefined).transform(Boolean);
    const shape = z.object({ password: currentPassword(user), newPassword, endAccess });
    const accounts = this.clients.of('accounts');
    const result = await submit(
      context,
      shape,
      given,
      (values) => accounts.call('users.change-password', { userId: user.id, ...values, visitor }),
      ({ password, newPassword }) =>
        accounts.call('users.check-passwords', { userId: user.id, password, newPassword, visitor }),
    );
    if ('errors' in result) {
      this.showPassword(reply, context, result);
      return;
    }
    context.setSession(result.value.session);
    this.pages.seeOther(reply, '/account?done=password');
  }

  private showEmail(reply: FastifyReply, context: PageContext, rejection?: FormRejection, email?: string): void {
    this.pages.show(reply, context, {
      view: 'account/email',
      texts: emailTexts,
      rejection,
      data: { email },
      title: (words) => words.title,
    });
  }

  private showPassword(reply: FastifyReply, context: PageContext, rejection?: FormRejection): void {
    this.pages.show(reply, context, {
      view: 'account/password',
      texts: passwordTexts,
      rejection,
      title: (words) => (context.member.hasPassword ? words.change : words.set),
    });
  }
}
