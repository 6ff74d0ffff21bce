import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Language, problems } from '#contracts';
import { DomainError } from '#kernel';
import { Cookies } from './cookies.js';
import { Page } from './page.decorator.js';
import { PageRenderer } from './page-renderer.js';

@Controller('language')
export class LanguageController {
  constructor(
    private readonly cookies: Cookies,
    private readonly pages: PageRenderer,
  ) {}

  /**
   * Language link in the footer of every page: sets the language cookie, and redirects back to the
   * page.
   */
  @Page()
  @Get(':language')
  switch(@Param('language') name: string, @Query('to') to: unknown, @Res() reply: FastifyReply): void {
    const language = Language.safeParse(name);
    if (!language.success) throw new DomainError(problems['request.not-found'], 'Unknown language.');
    this.cookies.setLanguageCookie(reply, language.data);
    this.pages.seeOther(reply, to);
  }
}
