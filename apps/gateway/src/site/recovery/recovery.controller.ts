import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { emailAddress, newPassword, type OAuthParameters, opaque } from '#contracts';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { passwordTexts } from '../account/account.texts.js';
import { checkbox, type FormRejection, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields, ReopensAt } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { FormValues, PageContext } from '../pages/page-context.js';
import { newPasswordTexts, recoveryTexts } from './recovery.texts.js';

const RecoveryForm = z.object({ email: typedLine.pipe(emailAddress) });
const NewPasswordForm = z.object({ token: opaque, newPassword, endAccess: checkbox });

interface RecoveryView {
  readonly isSent: boolean;
  readonly email?: string | undefined;
}

/** Recovery of an account: the form that requests a link by mail, and the page of the link. */
@Controller('account/recovery')
export class RecoveryController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  /** @param done `sent` after a request */
  @Page()
  @Get()
  showForm(
    @CurrentPage() context: PageContext,
    @Query('done') done: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.show(reply, context, { isSent: done === 'sent', email: context.draft?.email });
  }

  @Page()
  @Post()
  @NotCounted('Mail is limited per recipient and address.')
  @PreservesFields('email')
  async request(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await submit(context, RecoveryForm, given, ({ email }) =>
      this.clients.of('accounts').call('passwords.request-reset', { email, visitor: context.visitor }),
    );
    if ('errors' in result) await this.show(reply, context, { isSent: false, email: given.email }, result);
    else this.pages.seeOther(reply, '/account/recovery?done=sent');
  }

  @Page()
  @Get('password')
  showNewPassword(
    @CurrentPage() context: PageContext,
    @Query('token') token: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.showLink(reply, context, { ...context.draft, token: typeof token === 'string' ? token : '' });
  }

  @Page()
  @Post('password')
  @NotCounted('A link resets a password once.')
  @PreservesFields('endAccess')
  @ReopensAt(({ token = '' }) => `/account/recovery/password?token=${encodeURIComponent(token)}`)
  async reset(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await submit(context, NewPasswordForm, given, (values) =>
      this.clients.of('accounts').call('passwords.reset', { ...values, language: context.language }),
    );
    if ('errors' in result) await this.showLink(reply, context, given, result);
    else this.pages.seeOther(reply, '/sign-in?done=password');
  }

  private async show(
    reply: FastifyReply,
    context: PageContext,
    view: RecoveryView,
    rejection?: FormRejection,
  ): Promise<void> {
    const { enabled: isEnabled } = await this.clients.of('accounts').call('mail.show', {});
    this.pages.show(reply, context, {
      view: 'recovery/recovery',
      texts: recoveryTexts,
      rejection,
      data: { ...view, isEnabled },
      title: (words) => words.title,
    });
  }

  private async showLink(
    reply: FastifyReply,
    context: PageContext,
    { token = '', endAccess }: FormValues,
    rejection?: FormRejection,
  ): Promise<void> {
    const { userName } = await this.clients.of('accounts').call('passwords.show-reset', { token: token.slice(0, 512) });
    this.pages.show(reply, context, {
      view: 'recovery/password',
      texts: newPasswordTexts,
      rejection,
      status: userName === null ? 422 : 200,
      data: { token, endAccess, userName, password: passwordTexts[context.language] },
      isAddressSecret: true,
      title: (words) => words.title,
    });
  }
}
