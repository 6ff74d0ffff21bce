import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { emailAddress, newPassword, type OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { type Refused, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { emailTexts, passwordTexts } from './account.texts.js';
import { presentPassword } from './present-password.form.js';

/** What a user signs in with. */
@Controller('account')
export class CredentialsController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get('email')
  askEmail(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): void {
    this.showEmail(reply, visit);
  }

  @Page('members')
  @Post('email')
  async changeEmail(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member: user, visitor } = visit;
    const shape = z.object({ email: typedLine.pipe(emailAddress), password: presentPassword(user) });
    const result = await submit(shape, given, (values) =>
      this.clients.of('accounts').call('users.change-email', { userId: user.id, ...values, visitor }),
    );
    if ('errors' in result) this.showEmail(reply, visit, result, given.email);
    else this.pages.seeOther(reply, '/account?done=email');
  }

  @Page('members')
  @Get('password')
  askPassword(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): void {
    this.showPassword(reply, visit);
  }

  @Page('members')
  @Post('password')
  async changePassword(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member: user, visitor } = visit;
    const endAccess = z.literal('yes').optional().catch(undefined).transform(Boolean);
    const shape = z.object({ password: presentPassword(user), newPassword, endAccess });
    const result = await submit(shape, given, (values) =>
      this.clients.of('accounts').call('users.change-password', { userId: user.id, ...values, visitor }),
    );
    if ('errors' in result) {
      this.showPassword(reply, visit, result);
      return;
    }
    visit.begin(result.done.session);
    this.pages.seeOther(reply, '/account?done=password');
  }

  private showEmail(reply: FastifyReply, visit: PageContext, refused?: Refused, email?: string): void {
    this.pages.show(reply, visit, {
      view: 'account/email',
      texts: emailTexts,
      refused,
      data: { email },
      title: (words) => words.title,
    });
  }

  private showPassword(reply: FastifyReply, visit: PageContext, refused?: Refused): void {
    this.pages.show(reply, visit, {
      view: 'account/password',
      texts: passwordTexts,
      refused,
      title: (words) => (visit.member.hasPassword ? words.change : words.choose),
    });
  }
}
