import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { type Refused, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { deletedTexts, leaveTexts } from './account.texts.js';
import { presentPassword } from './present-password.form.js';

/** Deleting one's account. */
@Controller('account')
export class AccountDeletionController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get('delete')
  ask(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): void {
    this.show(reply, visit);
  }

  @Page('members')
  @Post('delete')
  async leave(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member: user, visitor } = visit;
    const shape = z.object({
      confirmation: typedLine.refine((name) => name === user.name),
      password: presentPassword(user),
    });
    const result = await submit(shape, given, ({ confirmation: name, password }) =>
      this.clients.of('accounts').call('users.leave', { userId: user.id, name, password, visitor }),
    );
    if ('errors' in result) {
      this.show(reply, visit, result, given.confirmation);
      return;
    }
    visit.end();
    this.pages.seeOther(reply, '/account/deleted');
  }

  /** Where one is led afterwards. Members have not left. */
  @Page()
  @Get('deleted')
  sayGoodbye(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): void {
    if (visit.user) {
      this.pages.seeOther(reply, '/account');
      return;
    }
    this.pages.show(reply, visit, { view: 'account/deleted', texts: deletedTexts, title: (words) => words.title });
  }

  private show(reply: FastifyReply, visit: PageContext, refused?: Refused, confirmation?: string): void {
    this.pages.show(reply, visit, {
      view: 'account/delete',
      texts: leaveTexts,
      refused,
      data: { confirmation },
      title: (words) => words.title,
    });
  }
}
