import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { accountTexts, doneTexts } from './account.texts.js';

/** Who one is, and the way to everything that is one's own. */
@Controller('account')
export class AccountController {
  constructor(private readonly pages: PageRenderer) {}

  /** @param done what a form has just done: the name of a sentence, and nothing when there is no such sentence */
  @Page('members')
  @Get()
  show(@CurrentPage() visit: PageContext, @Query('done') done: unknown, @Res() reply: FastifyReply): void {
    const sentences: Readonly<Record<string, string>> = doneTexts[visit.language];
    const notice = typeof done === 'string' && Object.hasOwn(sentences, done) ? sentences[done] : undefined;
    this.pages.show(reply, visit, {
      view: 'account/account',
      texts: accountTexts,
      data: { notice },
      title: (words) => words.title,
    });
  }
}
