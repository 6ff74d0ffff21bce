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

  /** The switch in the foot of every page: remembers the language, and goes back to where it was pressed. */
  @Page()
  @Get(':language')
  switch(@Param('language') name: string, @Query('to') to: unknown, @Res() reply: FastifyReply): void {
    const language = Language.safeParse(name);
    if (!language.success) throw new DomainError(problems['request.not-found'], 'There is no such language.');
    this.cookies.keepLanguage(reply, language.data);
    this.pages.seeOther(reply, to);
  }
}
