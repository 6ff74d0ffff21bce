import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { noticeOf } from '../pages/notice.view.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { accountTexts, doneTexts } from './account.texts.js';

/** Overview of the signed-in user's account, with links to its other pages. */
@Controller('account')
export class AccountController {
  constructor(private readonly pages: PageRenderer) {}

  /** @param done key of the confirmation to show; unknown keys show none */
  @Page('members')
  @Get()
  show(@CurrentPage() context: PageContext, @Query('done') done: unknown, @Res() reply: FastifyReply): void {
    this.pages.show(reply, context, {
      view: 'account/account',
      texts: accountTexts,
      data: { notice: noticeOf(doneTexts[context.language], done) },
      title: (words) => words.title,
    });
  }
}
