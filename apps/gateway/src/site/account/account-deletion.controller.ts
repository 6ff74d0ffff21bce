import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { type FormRejection, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { deletedTexts, deletionTexts } from './account.texts.js';
import { currentPassword } from './current-password.form.js';

/** Pages that delete the account of the signed-in user. */
@Controller('account')
export class AccountDeletionController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get('delete')
  showForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.show(reply, context);
  }

  @Page('members')
  @Post('delete')
  @NotCounted('An account is deleted once; wrong passwords are limited.')
  @PreservesFields()
  async delete(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member: user, visitor } = context;
    const shape = z.object({
      confirmation: typedLine.refine((name) => name === user.name),
      password: currentPassword(user),
    });
    const accounts = this.clients.of('accounts');
    const result = await submit(
      context,
      shape,
      given,
      ({ confirmation: name, password }) =>
        accounts.call('users.delete-account', { userId: user.id, name, password, visitor }),
      ({ password }) => accounts.call('users.check-passwords', { userId: user.id, password, visitor }),
    );
    if ('errors' in result) {
      this.show(reply, context, result, given.confirmation);
      return;
    }
    context.clearSession();
    this.pages.seeOther(reply, '/account/deleted');
  }

  /** Confirmation after the deletion. A user who is still signed in has deleted nothing. */
  @Page()
  @Get('deleted')
  showDeleted(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    if (context.user) {
      this.pages.seeOther(reply, '/account');
      return;
    }
    this.pages.show(reply, context, { view: 'account/deleted', texts: deletedTexts, title: (words) => words.title });
  }

  private show(reply: FastifyReply, context: PageContext, rejection?: FormRejection, confirmation?: string): void {
    this.pages.show(reply, context, {
      view: 'account/delete',
      texts: deletionTexts,
      rejection,
      data: { confirmation },
      title: (words) => words.title,
    });
  }
}
